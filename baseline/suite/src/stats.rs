//! The few statistics that the tables show.

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value that this share of `values` does not exceed; NaN if there are none.
#[must_use]
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let place = (values.len() as f64 * share).ceil() as usize;
    sorted(values)
        .get(place.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// The middle one, or halfway between the two in the middle: of two rounds the lower one would flatter.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let (sorted, last) = (sorted(values), values.len().saturating_sub(1));
    match (sorted.get(last / 2), sorted.get(last.div_ceil(2))) {
        (Some(lower), Some(upper)) => f64::midpoint(*lower, *upper),
        _ => f64::NAN,
    }
}

/// The median of pairs' ratios; NaN where there are none.
#[must_use]
pub fn median_ratio(pairs: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let ratios: Vec<f64> = pairs.into_iter().map(|(a, b)| a / b).collect();
    median(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(median(&values), 3.0);
        assert_eq!(percentile(&values, 0.9), 5.0);
        assert_eq!(percentile(&values, 0.0), 1.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        assert_eq!(median_ratio([(1.0, 2.0), (30.0, 10.0), (9.0, 9.0)]), 1.0);
        assert!(median_ratio([]).is_nan());
    }

    #[test]
    fn the_median_of_two_is_between_them() {
        assert_eq!(median(&[0.5, 1.5]), 1.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}
