//! Writing a trace to a file.

use super::trace::Trace;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Why a trace could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// The file's name ends in none of `.html`, `.json` and `.txt`.
    Format(PathBuf),
    /// The system refused the file or its folder, or took only a part of it.
    File {
        /// The file, or its folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(path) => write!(
                f,
                "a trace can't be written to {}: let the name end in .html, .json or .txt",
                path.display()
            ),
            Self::File { path, source } => {
                write!(
                    f,
                    "a trace can't be written to {}: {source}",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Format(_) => None,
            Self::File { source, .. } => Some(source),
        }
    }
}

impl Trace {
    /// Writes it to a file, whose folders are made if they are not there: a page that any browser
    /// opens without a network if the name ends in `.html`, Chrome's trace format, which Perfetto
    /// opens, for `.json`, and the [report](Self::report) for `.txt`. A file or a link of that name
    /// is replaced once the new one is complete; after an error it is still there. A named pipe or
    /// the like is written to directly.
    ///
    /// # Errors
    ///
    /// When the name ends otherwise, when the file is there and read-only, and when the system
    /// refuses it or its folder, or takes only a part of it.
    ///
    /// ```
    /// # use bevy_heartbeat::{HeartbeatPlugin, record::{FlightRecorder, Record}};
    /// # let mut app = bevy_app::App::new();
    /// # app.add_plugins(HeartbeatPlugin { record: Record::Always, ..Default::default() });
    /// # app.world_mut().resource_mut::<FlightRecorder>().set_folder(std::env::temp_dir().join("heartbeat-doc"));
    /// # (0..2).for_each(|_| app.update());
    /// let trace = app.world().resource::<FlightRecorder>().trace();
    /// let path = std::env::temp_dir().join("heartbeat-doc/now.html");
    /// trace.save(&path).unwrap();
    /// assert!(trace.save("trace.png").is_err());
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let write: fn(&Self, &mut BufWriter<File>) -> io::Result<()> = match extension {
            Some("html") => |trace, file| trace.write_page(file),
            Some("json") => |trace, file| trace.write_chrome(file),
            Some("txt") => |trace, file| write!(file, "{}", trace.report()),
            _ => return Err(SaveError::Format(path.to_owned())),
        };
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| refused(folder, source))?;
        replace(path, folder, |file| write(self, file)).map_err(|source| refused(path, source))
    }
}

fn refused(path: &Path, source: io::Error) -> SaveError {
    SaveError::File {
        path: path.to_owned(),
        source,
    }
}

/// Has `write` make the file at `path`, in `folder`. Until it is whole it lies beside that, so that
/// a part of one never passes for all, and what was there stays if it fails.
fn replace(
    path: &Path,
    folder: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let write = |file: File| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        // Closed first, for some systems move no file that is open.
        file.into_inner().map(drop).map_err(io::Error::from)
    };
    let present = fs::metadata(path).ok().filter(|there| !there.is_dir());
    if present.as_ref().is_some_and(|there| !there.is_file()) {
        return write(File::options().write(true).open(path)?);
    }
    let permissions = present.map(|there| there.permissions());
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let (unfinished, file) = create_unfinished(folder)?;
    let written = permissions.map_or(Ok(()), |kept| file.set_permissions(kept));
    let written = written.and_then(|()| write(file));
    let replaced = written.and_then(|()| fs::rename(&unfinished, path));
    replaced.inspect_err(|_| _ = fs::remove_file(&unfinished))
}

/// A new file in `folder`, by a name that nobody else writes to.
fn create_unfinished(folder: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0;
    loop {
        let path = folder.join(format!(".unfinished-{}-{number}", process::id()));
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn a_file_is_replaced_by_a_whole_one_or_stays() {
        let folder = env::temp_dir().join(format!("heartbeat-replace-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("trace.txt");
        let replace = |text: &str, then: io::Result<()>| {
            replace(&path, &folder, |file| {
                file.write_all(text.as_bytes())?;
                file.flush()?;
                then
            })
        };
        replace("first", Ok(())).unwrap();
        let full = || Err(io::ErrorKind::StorageFull.into());
        replace("a part of", full()).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        replace("second", Ok(())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // What others may do with it stays; and one that nobody may write to.
        let permissions = || fs::metadata(&path).unwrap().permissions();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            replace("second", Ok(())).unwrap();
            assert_eq!(permissions().mode() & 0o777, 0o600);
        }
        let before = permissions();
        let mut readonly = before.clone();
        readonly.set_readonly(true);
        fs::set_permissions(&path, readonly).unwrap();
        replace("third", Ok(())).unwrap_err();
        fs::set_permissions(&path, before).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // A folder of that name stays, too, and what a process that was killed has left.
        fs::write(
            folder.join(format!(".unfinished-{}-0", process::id())),
            "left",
        )
        .unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        replace("third", Ok(())).unwrap_err();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }
}
