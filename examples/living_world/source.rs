//! Where assets come from: the folder, with a look at whether each image is all there.
//!
//! The decoder behind `bevy_image` is lenient with JPEG: a file cut short decodes to a picture that
//! is grey from there on. A world should not have grey parts, so such a file is an error here.

use bevy_asset::io::file::FileAssetReader;
use bevy_asset::io::{AssetReader, AssetReaderError, PathStream, Reader, VecReader};
use std::io;
use std::path::{Path, PathBuf};

/// Reads whole files from a folder and refuses images without their end.
pub struct CheckedReader(FileAssetReader);

impl CheckedReader {
    pub fn new(folder: &Path) -> Self {
        Self(FileAssetReader::new(folder))
    }
}

/// What the end of a file must hold, and how far from it that may lie: some programs pad files.
fn end_marker(path: &Path) -> Option<(&'static [u8], &'static str)> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "png" => Some((b"IEND", "PNG")),
        "jpg" | "jpeg" => Some((&[0xff, 0xd9], "JPEG")),
        _ => None,
    }
}

const PADDING: usize = 4096;

fn check(path: &Path, bytes: &[u8]) -> Result<(), io::Error> {
    let Some((marker, kind)) = end_marker(path) else {
        return Ok(());
    };
    let tail = &bytes[bytes.len().saturating_sub(PADDING)..];
    if tail.windows(marker.len()).any(|window| window == marker) {
        return Ok(());
    }
    let problem = format!("the file is cut short: a {kind} without its end marker");
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, problem))
}

impl AssetReader for CheckedReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let mut bytes = Vec::new();
        let mut file = self.0.read(path).await?;
        file.read_to_end(&mut bytes).await?;
        check(path, &bytes)?;
        Ok(VecReader::new(bytes))
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.0.read_meta(path).await
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        self.0.read_directory(path).await
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        self.0.is_directory(path).await
    }
}

/// What a folder holds for a world.
#[derive(Debug, Default)]
pub struct Found {
    /// Relative to the folder, sorted.
    pub images: Vec<PathBuf>,
    pub worlds: Vec<PathBuf>,
    /// What could not be looked at, and why.
    pub problems: Vec<(PathBuf, String)>,
}

/// Lists a folder and those in it.
pub fn scan(folder: &Path) -> Result<Found, io::Error> {
    // The folder itself must be readable; what lies in it is reported and left out.
    drop(folder.read_dir()?);
    let mut found = Found::default();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        if let Err(error) = scan_one(folder, &inner, &mut found, &mut folders) {
            found.problems.push((inner, error.to_string()));
        }
    }
    found.images.sort();
    found.worlds.sort();
    found.problems.sort();
    Ok(found)
}

fn scan_one(
    root: &Path,
    inner: &Path,
    found: &mut Found,
    folders: &mut Vec<PathBuf>,
) -> Result<(), io::Error> {
    for entry in root.join(inner).read_dir()? {
        let entry = entry?;
        let path = inner.join(entry.file_name());
        // A link to a folder is left out: it may lead back here.
        if entry.file_type()?.is_dir() {
            folders.push(path);
            continue;
        }
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_deref().and_then(|end| end.to_str()) {
            Some("png" | "jpg" | "jpeg") => found.images.push(path),
            Some("world") => found.worlds.push(path),
            _ => {}
        }
    }
    Ok(())
}
