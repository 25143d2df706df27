//! Who is next, where several run in turn.

/// The order of a round of so many. Every other round is the one before backwards, and each pair of
/// rounds begins one further on: nobody always follows the same one, of two neither.
pub fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| {
        let turn = if round.is_multiple_of(2) {
            turn
        } else {
            count - 1 - turn
        };
        (turn + round / 2) % count
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_turn_in_each_round_and_each_order_comes() {
        let mut orders = Vec::new();
        for round in 0..6 {
            let places: Vec<_> = order(round, 3).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2], "round {round}");
            orders.push(places);
        }
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), 6);
        assert_eq!(order(5, 0).count(), 0);
    }

    #[test]
    fn either_of_two_is_first_as_often() {
        let first: Vec<_> = (0..4).filter_map(|round| order(round, 2).next()).collect();
        assert_eq!(first, [0, 1, 1, 0]);
    }
}
