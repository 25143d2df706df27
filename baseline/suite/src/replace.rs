//! Files that are whole at any time.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Puts a file of this text in the place of what is there, if anything is. The text is written
/// beside it first, so that whoever reads meanwhile, or after a run that was broken off, has one or
/// the other.
///
/// # Errors
///
/// What the system refuses; the old file is as it was then.
pub fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = OsString::from(path);
    beside.push(".unfinished");
    fs::write(&beside, text)?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, process};

    #[test]
    fn the_last_text_is_there_and_nothing_beside_it() -> io::Result<()> {
        let folder = env::temp_dir().join(format!("suite-replace-{}", process::id()));
        fs::create_dir_all(&folder)?;
        let path = folder.join("file.md");
        for text in ["first", "second"] {
            replace_file(&path, text)?;
            assert_eq!(fs::read_to_string(&path)?, text);
        }
        assert_eq!(fs::read_dir(&folder)?.count(), 1);
        fs::remove_dir_all(&folder)
    }
}
