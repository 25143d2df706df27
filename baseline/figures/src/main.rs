//! Writes the tables of `docs/figures.md` from the newest record of each kind. What stands between
//! the tables is written by hand and stays.

mod page;
mod summary;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suite::recorded::{Kind, newest};
use suite::{exit, replace_file};

/// The page, and the folder of the records.
fn places() -> (PathBuf, PathBuf) {
    let baseline = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let page = baseline.join("../docs/figures.md");
    (page, baseline.join("records"))
}

/// The page as it is, and as it should be.
fn pages() -> Result<(String, String), Box<dyn Error>> {
    let (page, records) = places();
    let old = fs::read_to_string(&page)
        .map_err(|error| format!("can't read {}: {error}", page.display()))?;
    let mut new = old.clone();
    for kind in Kind::ALL {
        let record = newest(&records, kind)?;
        new = page::fill(&new, kind.name(), &summary::of(kind, &record))?;
    }
    Ok((old, new))
}

fn write() -> Result<(), Box<dyn Error>> {
    let (old, new) = pages()?;
    let (page, _) = places();
    if old == new {
        println!("{} is up to date", page.display());
    } else {
        replace_file(&page, &new)
            .map_err(|error| format!("can't write {}: {error}", page.display()))?;
        println!("{} is written", page.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    exit(write().map(|()| ExitCode::SUCCESS))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_has_the_newest_records() {
        let (old, new) = super::pages().unwrap();
        assert!(old == new, "`cargo figures` writes docs/figures.md anew");
    }
}
