//! Builds the rivals that aren't written in Rust, each as small files of `rivals/`.

use super::refused::Refused;
use super::{Contender, Kind};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use suite::Locked;

/// A program and its version.
type Built = Result<(PathBuf, String), Refused>;

/// What this was built with.
const LOCKFILE: &str = include_str!("../../../Cargo.lock");

/// A package's version. What is no package runs on the standard library.
pub fn packaged_version(package: Option<&str>) -> String {
    let Some(package) = package else {
        return "the standard library's".to_owned();
    };
    Locked::version_of(LOCKFILE, package)
}

/// A shell's exit where it finds no program of that name.
const NOT_FOUND: i32 = 127;

/// Runs a command to its end; what it says is the reason where it fails.
fn output(command: &mut Command) -> Result<Output, Refused> {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        let why = format!("can't run {name}: {error}");
        match error.kind() {
            io::ErrorKind::NotFound => Refused::Absent(why),
            _ => Refused::Broken(why),
        }
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_telling = |line: &&str| line.contains("error") || line.contains("fatal");
    let line = said.lines().find(is_telling).or(said.lines().next());
    let why = format!("{name}: {}", line.unwrap_or("it said nothing"));
    Err(match output.status.code() {
        Some(NOT_FOUND) => Refused::Absent(why),
        _ => Refused::Broken(why),
    })
}

fn refused(path: &Path) -> impl Fn(io::Error) -> Refused {
    let path = path.display().to_string();
    move |error| Refused::Broken(format!("can't write {path}: {error}"))
}

/// Builds it into `target`, and asks for its version.
pub fn built(contender: &Contender, target: &Path) -> Built {
    make(contender, target).map_err(|refused| match contender.kind {
        Kind::Go | Kind::Java | Kind::Ruby { .. } => refused.into_absent(),
        _ => refused,
    })
}

fn make(contender: &Contender, target: &Path) -> Built {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("rivals");
    fs::create_dir_all(target).map_err(refused(target))?;
    let program = target.join(contender.name.replace(' ', "-"));
    match contender.kind {
        Kind::Rust { .. } => return Err(Refused::Broken("it is no program of its own".to_owned())),
        Kind::Cpp {
            source,
            flags,
            checkout,
        } => cpp(&sources.join(source), &program, flags, checkout)?,
        Kind::Callbacks => return callbacks(),
        Kind::Transfers => return transfers(),
        Kind::Go => {
            let mut go = Command::new("go");
            go.current_dir(sources.join("go"));
            // Else it asks git about the folder, which may be nobody's.
            go.args(["build", "-buildvcs=false", "-o"]).arg(&program);
            output(&mut go)?;
        }
        Kind::Java => {
            let classes = target.join("java-classes");
            let mut compiler = Command::new("javac");
            compiler.arg("-d").arg(&classes);
            let files = ["Main.java", "Messages.java"].map(|file| sources.join("java").join(file));
            output(compiler.args(files))?;
            let run = format!("java -cp {} Main", quoted(&classes));
            launcher(&program, &run)?;
        }
        Kind::Ruby { workers } => {
            let run = format!("ruby {} {workers}", quoted(&sources.join("workers.rb")));
            launcher(&program, &run)?;
        }
    }
    let version = version(&program)?;
    Ok((program, version))
}

/// What a program says of itself.
fn version(program: &Path) -> Result<String, Refused> {
    let said = output(Command::new(program).arg("version"))?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// The program that counts allocations, built where this one was.
fn callbacks() -> Built {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo.args(["build", "--release", "--ignore-rust-version", "--quiet"]);
    output(cargo.args(["--bin", "callbacks"]))?;
    let name = format!("callbacks{}", env::consts::EXE_SUFFIX);
    let program = paired::target(folder, "release").join(name);
    let version = version(&program)?;
    Ok((program, version))
}

/// The pool's own program, whose atomics are counted, in a target folder of its own.
fn transfers() -> Built {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = paired::target(folder, "transfers");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder.join("../../crates/heartbeat_pool"));
    cargo.env("RUSTFLAGS", "--cfg heartbeat_transfers");
    cargo.args(["build", "--release", "--locked", "--quiet"]);
    cargo.args(["--example", "transfers", "--target-dir"]);
    output(cargo.arg(&target))?;
    let name = format!("transfers{}", env::consts::EXE_SUFFIX);
    let program = target.join("release/examples").join(name);
    let version = version(&program)?;
    Ok((program, version))
}

/// What `CXX` says, else clang and g++, the first of which that makes a program is taken.
fn compilers() -> Vec<OsString> {
    env::var_os("CXX").map_or_else(
        || ["clang++", "g++"].map(OsString::from).to_vec(),
        |compiler| vec![compiler],
    )
}

fn cpp(
    source: &Path,
    program: &Path,
    flags: &[&str],
    checkout: Option<(&str, &str)>,
) -> Result<(), Refused> {
    let headers = checkout.map(headers).transpose()?;
    let build = |compiler: &OsStr, source: &Path| {
        let mut command = Command::new(compiler);
        command.args(["-std=c++20", "-O3", "-pthread"]);
        if let Ok(more) = env::var("CXXFLAGS") {
            command.args(more.split_whitespace());
        }
        if let Some(headers) = &headers {
            command.arg("-isystem").arg(headers);
        }
        output(command.arg("-o").arg(program).arg(source).args(flags))
    };
    let library = library(source, program)?;
    let (mut why, mut is_broken) = (Vec::new(), false);
    for compiler in compilers() {
        match build(&compiler, source) {
            Ok(_) => return Ok(()),
            Err(refused) => {
                is_broken |= build(&compiler, &library).is_ok();
                why.push(refused.why().to_owned());
            }
        }
    }
    let why = why.join("; ");
    Err(match is_broken {
        true => Refused::Broken(why),
        false => Refused::Absent(why),
    })
}

/// Writes a program that has what a source takes from elsewhere and nothing of its own: a compiler
/// that takes it has all that the source needs.
fn library(source: &Path, program: &Path) -> Result<PathBuf, Refused> {
    let text = fs::read_to_string(source)
        .map_err(|error| Refused::Broken(format!("can't read {}: {error}", source.display())))?;
    let is_own = |line: &str| {
        let file = line.split('"').nth(1);
        file.is_some_and(|file| source.with_file_name(file).exists())
    };
    let is_taken = |line: &&str| line.starts_with("#include") || line.starts_with("#define");
    let mut library: String = text
        .lines()
        .filter(|line| is_taken(line) && !is_own(line))
        .flat_map(|line| [line, "\n"])
        .collect();
    library.push_str("int main() {}\n");
    let path = program.with_extension("library.cpp");
    fs::write(&path, library).map_err(refused(&path))?;
    Ok(path)
}

/// Where the headers of a checkout lie.
fn headers((folder, headers): (&str, &str)) -> Result<PathBuf, Refused> {
    let unset = || Refused::Absent("RIVALS is not set".to_owned());
    let rivals = env::var_os("RIVALS").ok_or_else(unset)?;
    let headers = Path::new(&rivals).join(folder).join(headers);
    if headers.is_dir() {
        return Ok(headers);
    }
    let headers = headers.display();
    Err(Refused::Absent(format!("there is no folder {headers}")))
}

/// As a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// A program of one line, for what needs another to run it.
fn launcher(program: &Path, run: &str) -> Result<(), Refused> {
    let text = format!("#!/bin/sh\nexec {run} \"$@\"\n");
    fs::write(program, text).map_err(refused(program))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(program, runs).map_err(refused(program))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packages_version_is_known() {
        for contender in super::super::ALL {
            if let Kind::Rust { package } = contender.kind {
                let version = packaged_version(package);
                assert!(
                    !version.contains("unknown"),
                    "{}: {version}",
                    contender.name
                );
            }
        }
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let Err(Refused::Absent(why)) = output(&mut Command::new("no-such-compiler")) else {
            panic!("it ran");
        };
        assert!(why.contains("no-such-compiler"), "{why}");
    }

    /// Builds a source with g++, where that is found.
    #[cfg(unix)]
    fn build(name: &str, text: &str) -> Option<Refused> {
        if env::var_os("CXX").is_some() {
            return None;
        }
        output(Command::new("g++").arg("--version")).ok()?;
        let folder = env::temp_dir().join(format!("report-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("source.cpp");
        fs::write(&source, text).unwrap();
        let refused = cpp(&source, &folder.join(name), &[], None).err();
        fs::remove_dir_all(folder).unwrap();
        refused
    }

    #[cfg(unix)]
    #[test]
    fn a_library_that_is_missing_is_no_fault_of_the_source() {
        let missing = build("missing", "#include <no/such/library.hpp>\nint main() {}\n");
        assert!(!matches!(missing, Some(Refused::Broken(_))), "{missing:?}");
        let broken = build("broken", "#include <vector>\nint main() { nothing(); }\n");
        assert!(!matches!(broken, Some(Refused::Absent(_))), "{broken:?}");
    }
}
