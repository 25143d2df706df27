//! Writing a trace to a file.

use super::trace::Trace;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
    /// opens, for `.json`, and the [report](Self::report) for `.txt`.
    ///
    /// # Errors
    ///
    /// When the name ends otherwise, and when the system refuses the file or its folder. A file that
    /// it takes only a part of is removed.
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
        let refused = |path: &Path, source| SaveError::File {
            path: path.to_owned(),
            source,
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| refused(folder, source))?;
        }
        let file = File::create(path).map_err(|source| refused(path, source))?;
        let mut file = BufWriter::new(file);
        let written = write(self, &mut file).and_then(|()| file.flush());
        written.map_err(|source| {
            // A part of it may pass for all. What a link leads to is emptied, the link stays.
            _ = file.into_parts().0.set_len(0);
            if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
                _ = fs::remove_file(path);
            }
            refused(path, source)
        })
    }
}
