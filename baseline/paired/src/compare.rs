//! A whole comparison of two programs, from the command line to the record.

use crate::against::Against;
use crate::build::{BuildError, Package, check_patches, locked_version, target};
use crate::family::{Family, names, retain};
use crate::options::{Options, Usage};
use crate::report::{self, Beside};
use crate::session::Session;
use crate::sides::Programs;
use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use suite::{Record, Spinner, exit, free_threads};

/// What is compared.
pub struct Comparison {
    /// The command is called so, and the record, and what is built.
    pub name: &'static str,
    /// What the command's help says.
    pub usage: Usage,
    /// The folder of both packages, beside the records.
    pub folder: PathBuf,
    /// What both programs are told beside a workload's name.
    pub arguments: Vec<String>,
    /// What the stock program is built on: packages, each as it is called in the record.
    pub versions: &'static [(&'static str, &'static str)],
    /// The packages that the other program has from this project.
    pub patched: &'static [&'static str],
    /// A metric that is shown in columns of its own beside each workload's rows.
    pub beside: Option<Beside>,
    /// What is run.
    pub families: Vec<Family>,
}

impl Comparison {
    fn versions(&self) -> Result<String, BuildError> {
        let stock = self.folder.join("stock");
        let versions = self.versions.iter().map(|(called, package)| {
            let version = locked_version(&stock, package)?;
            Ok(format!("{called} {version}"))
        });
        Ok(versions.collect::<Result<Vec<_>, BuildError>>()?.join(", "))
    }

    /// A side's program: `stock`'s or `heartbeat`'s.
    fn package(&self, side: &str) -> Package {
        Package {
            folder: self.folder.join(side),
            program: format!("{}-{side}", self.name),
            target: target(&self.folder, self.name).join(side),
        }
    }

    /// Builds both.
    fn programs(&self, quick: bool) -> Result<Programs, BuildError> {
        let mut arguments = self.arguments.clone();
        arguments.extend(quick.then(|| "--quick".to_owned()));
        let programs = Programs {
            other: self.package("stock").build(&self.folder)?,
            ours: self.package("heartbeat").build(&self.folder)?,
            arguments,
        };
        check_patches(&self.folder.join("heartbeat"), self.patched)?;
        Ok(programs)
    }

    /// Compares this project with what it replaces.
    fn with_stock(&self, options: &Options) -> Result<ExitCode, Box<dyn Error>> {
        let programs = self.programs(options.quick)?;
        let names = names(&self.families);
        programs.check_names(&names)?;
        let steps = names.len() * options.runs() * 2;
        let record = Record::new(&self.folder).named(self.name);
        let mut session = Session::begin(record, steps as u64);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let spinner = Spinner::calibrate();
        session.tell(self.name, self.versions()?);
        session.tell("rounds", options.runs().to_string());
        session.tell(
            "threads that ran at once before",
            free_threads(threads, spinner),
        );
        let mut failed = Vec::new();
        for family in &self.families {
            let all = family.run(&programs, options.runs(), &session.progress);
            session.show(report::table(family, &all, self.beside), None);
            failed.extend(report::failed(family, &all));
        }
        session.progress.finish_and_clear();
        session.tell(
            "threads that ran at once after",
            free_threads(threads, spinner),
        );
        let records = self.folder.with_file_name("records");
        Ok(session.end(&failed, options.record, &records)?)
    }

    /// Compares this project with a commit of its own.
    fn with_commit(&self, commit: &str, options: &Options) -> Result<ExitCode, Box<dyn Error>> {
        let Package {
            folder,
            program,
            target: present,
        } = self.package("heartbeat");
        let baseline = self.folder.parent().unwrap_or(&self.folder);
        let against = Against {
            baseline,
            package: folder.strip_prefix(baseline).unwrap_or(&folder),
            program: &program,
            present,
            commits: target(&self.folder, "against"),
            face: None,
            patched: self.patched,
            arguments: self.arguments.clone(),
            families: &self.families,
        };
        against.run(commit, options)
    }
}

/// Does what the command line says.
#[must_use]
pub fn run(comparison: Comparison) -> ExitCode {
    exit(compare(comparison))
}

fn compare(mut comparison: Comparison) -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse(env::args_os().skip(1), |_, _| Ok(false))?;
    if options.help {
        print!("{}", comparison.usage.help());
        return Ok(ExitCode::SUCCESS);
    }
    retain(&mut comparison.families, |name| options.wants(name));
    if options.lists(&names(&comparison.families))? {
        return Ok(ExitCode::SUCCESS);
    }
    match &options.against {
        Some(commit) => comparison.with_commit(commit, &options),
        None => comparison.with_stock(&options),
    }
}
