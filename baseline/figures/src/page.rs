//! The page's parts that a command writes.

/// `page` with `text` between the marks of `name`.
pub fn fill(page: &str, name: &str, text: &str) -> Result<String, String> {
    let (begin, end) = (
        format!("<!-- begin {name} -->\n"),
        format!("<!-- end {name} -->"),
    );
    let missing = |mark: &str| format!("docs/figures.md has no line {}", mark.trim_end());
    let (before, rest) = page.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    Ok(format!("{before}{begin}\n{text}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_by_hand_stays() {
        let page = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n";
        let filled = fill(page, "x", "new").unwrap();
        assert_eq!(filled, "a\n<!-- begin x -->\n\nnew\n<!-- end x -->\nb\n");
        assert_eq!(fill(&filled, "x", "new").unwrap(), filled);
        assert!(
            fill(page, "y", "")
                .unwrap_err()
                .contains("<!-- begin y -->")
        );
    }
}
