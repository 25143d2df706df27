//! The page for readers of the repository: the same text, with its plots beside it.

use super::chapter::Chapter;
use super::html::ABOUT;
use super::plots::Drawn;
use super::records::Record;
use super::{Report, summary};
use std::fmt::Write;

/// The page's text.
pub fn page(report: &Report<'_>) -> String {
    let mut text = head(report);
    let mut source = None;
    for part in &report.chapters {
        if source != Some(part.source()) {
            source = Some(part.source());
            let (title, about) = (part.source().title, part.source().about);
            add(&mut text, format_args!("\n## {title}\n\n{about}\n"));
        }
        chapter(&mut text, part);
    }
    for part in &report.records {
        record(&mut text, part);
    }
    text
}

fn head(report: &Report<'_>) -> String {
    let mut text = format!("# The tables of the field\n\n{ABOUT}\n\n");
    text.push_str(
        "[The same as a page with its plots in it](index.html). Less is better in every plot.\n\n",
    );
    for warning in report.warnings() {
        add(&mut text, format_args!("> {warning}\n\n"));
    }
    for fact in report.facts() {
        add(&mut text, format_args!("- {fact}\n"));
    }
    text.push('\n');
    let mut source = None;
    for chapter in &report.chapters {
        let (name, title) = (chapter.table.name, chapter.source().title);
        if source.replace(title) != Some(title) {
            add(&mut text, format_args!("\n- {title}:"));
        }
        add(&mut text, format_args!(" [{name}](#{name})"));
    }
    text.push('\n');
    for part in summary::parts(report) {
        add(&mut text, format_args!("\n## {}\n", part.title));
        for (about, figures) in &part.tables {
            if !about.is_empty() {
                add(&mut text, format_args!("\n{about}\n"));
            }
            add(&mut text, format_args!("\n{}", table(figures)));
        }
    }
    text
}

fn record(text: &mut String, record: &Record) {
    let (title, about) = (record.title, &record.about);
    add(text, format_args!("\n## {title}\n\n{about}\n\n"));
    for fact in &record.facts {
        add(text, format_args!("- {fact}\n"));
    }
    plots(text, &record.plots);
    for figures in &record.tables {
        let (title, about) = (&figures.title, &figures.about);
        let figures = table(figures);
        add(text, format_args!("\n### {title}\n\n{about}\n\n{figures}"));
    }
}

fn plots(text: &mut String, plots: &[Drawn]) {
    for plot in plots {
        let (about, file) = (&plot.about, &plot.file);
        add(text, format_args!("\n![{about}](plots/{file})\n"));
    }
}

fn chapter(text: &mut String, chapter: &Chapter) {
    let told = chapter.table;
    add(
        text,
        format_args!("\n### {}\n\n{}\n", told.name, told.about),
    );
    if !told.known.is_empty() {
        add(text, format_args!("\n{}\n", told.known));
    }
    plots(text, &chapter.plots);
    for figures in &chapter.figures {
        let (title, about) = (&figures.title, &figures.about);
        let figures = table(figures);
        add(text, format_args!("\n**{title}**, {about}\n\n{figures}"));
    }
    add(text, format_args!("\nTaken {}.\n", chapter.taken));
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(more);
}

/// A table without its heading.
fn table(table: &suite::Table) -> String {
    if table.rows.is_empty() {
        return "None.\n".to_owned();
    }
    let headless = suite::Table {
        title: String::new(),
        about: String::new(),
        ..table.clone()
    };
    headless
        .to_string()
        .trim_start_matches(['#', ' ', '\n'])
        .to_owned()
}
