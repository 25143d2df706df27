//! What is said below a table's figures: who failed, and which sizes had fewer rounds than others.

use crate::results::{Cell, Measured};

/// All notes of a number of threads.
pub fn all(measured: &Measured, threads: usize) -> Vec<String> {
    let of = |cell: &&Cell| cell.threads == threads;
    let cells: Vec<&Cell> = measured.cells.iter().filter(of).collect();
    let refused = cells.iter().filter_map(|cell| refused(cell));
    refused.chain(rounds(measured, &cells)).collect()
}

/// Who failed, or gave a wrong answer, and in which round.
fn refused(cell: &Cell) -> Option<String> {
    let why = cell.refused.as_ref()?;
    let (name, size, round) = (&cell.name, cell.size, cell.rounds() + 1);
    Some(format!("{name}, {size}, round {round}: {why}"))
}

/// How many rounds each size had, unless all had as many as there are at most.
fn rounds(measured: &Measured, cells: &[&Cell]) -> Option<String> {
    let most = |size: u64| {
        let cells = cells.iter().filter(|cell| cell.size == size);
        Some((size, cells.map(|cell| cell.rounds()).max()?))
    };
    let rounds: Vec<_> = measured.sizes().into_iter().filter_map(most).collect();
    let is_short = |(_, rounds): &(u64, usize)| *rounds < measured.taken.rounds;
    rounds.iter().any(is_short).then(|| {
        let told = rounds
            .iter()
            .map(|(size, rounds)| format!("{size}: {rounds}"));
        let told: Vec<String> = told.collect();
        format!("rounds: {}", told.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Taken;
    use std::collections::BTreeMap;

    fn cell(name: &str, size: u64, rounds: usize) -> Cell {
        Cell {
            name: name.to_owned(),
            size,
            threads: 2,
            figures: BTreeMap::from([("time".to_owned(), vec![1.0; rounds])]),
            refused: None,
        }
    }

    fn measured(cells: Vec<Cell>) -> Measured {
        let taken = Taken {
            rounds: 7,
            ..Taken::default()
        };
        let table = "tcp".to_owned();
        Measured {
            table,
            taken,
            cells,
            ..Measured::default()
        }
    }

    #[test]
    fn a_size_that_ran_fewer_rounds_is_told_with_all_others() {
        let mut hung = cell("forte", 1000, 4);
        hung.refused = Some("hung".to_owned());
        let cells = vec![cell("ours", 10, 7), cell("ours", 1000, 5), hung];
        let told = all(&measured(cells), 2);
        assert_eq!(
            told,
            ["forte, 1000, round 5: hung", "rounds: 10: 7, 1000: 5"]
        );
    }

    #[test]
    fn where_all_rounds_were_run_nothing_is_said() {
        let measured = measured(vec![cell("ours", 10, 7), cell("ours", 1000, 7)]);
        assert!(all(&measured, 2).is_empty());
        assert!(all(&measured, 1).is_empty());
    }
}
