//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "\
Loads a folder of images as a world, lets creatures live in it, and draws it.

Usage: living_world [FLAGS]
  --assets DIR     the folder of images (default: assets)
  --creatures N    how many creatures (default: 100000)
  --frames N       how many frames they live (default: 300)
  --threads N      the pool's threads (default: BEVY_HEARTBEAT_THREADS, or the machine's)
  --out FILE       where the picture goes (default: living_world.png)
  --trace FILE     record the frames, and write the last ones there: .html, .json or .txt
  --strict         fail if any asset fails to load
  --help           this text";

#[derive(Clone, Debug)]
pub struct Options {
    pub assets: PathBuf,
    pub creatures: u32,
    pub frames: u32,
    pub threads: Option<usize>,
    pub out: PathBuf,
    pub trace: Option<PathBuf>,
    pub strict: bool,
}

/// What the command line asks for.
pub enum Request {
    Run(Options),
    Help,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            assets: default_assets(),
            creatures: 100_000,
            frames: 300,
            threads: None,
            out: "living_world.png".into(),
            trace: None,
            strict: false,
        }
    }
}

/// The project's own folder, whether run from its root or from elsewhere.
fn default_assets() -> PathBuf {
    let here = PathBuf::from("assets");
    if here.is_dir() {
        here
    } else {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/assets"))
    }
}

fn number<N: std::str::FromStr>(flag: &str, value: OsString) -> Result<N, String> {
    let text = value.to_string_lossy();
    text.parse()
        .map_err(|_| format!("--{flag} wants a whole number, not \"{text}\""))
}

/// Reads the command line; the error says which flag is wrong.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    use lexopt::prelude::*;
    let mut options = Options::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        let name = match argument {
            Long(name) => name.to_owned(),
            Short('h') => "help".to_owned(),
            other => return Err(other.unexpected().to_string()),
        };
        let mut value = || parser.value().map_err(|error| error.to_string());
        match name.as_str() {
            "assets" => options.assets = value()?.into(),
            "creatures" => options.creatures = number("creatures", value()?)?,
            "frames" => options.frames = number("frames", value()?)?,
            "threads" => options.threads = Some(number("threads", value()?)?),
            "out" => options.out = value()?.into(),
            "trace" => options.trace = Some(value()?.into()),
            "strict" => options.strict = true,
            "help" => return Ok(Request::Help),
            other => return Err(format!("there is no flag --{other}")),
        }
    }
    if options.threads == Some(0) {
        return Err("--threads wants at least 1".to_owned());
    }
    Ok(Request::Run(options))
}
