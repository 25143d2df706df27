//! The page for readers of the repository: the same text, with its plots beside it.

use super::{Report, losses};
use std::fmt::Write;

/// The page's text.
pub fn page(report: &Report<'_>) -> String {
    let mut text = String::from("# The tables of the field\n\n");
    text.push_str(super::html::ABOUT);
    text.push_str("\n\n[The same as a page with its plots in it](index.html). Less is better in every plot.\n\n");
    for warning in report.warnings() {
        add(&mut text, format_args!("> {warning}\n\n"));
    }
    for fact in report.facts() {
        add(&mut text, format_args!("- {fact}\n"));
    }
    let (lost, rows) = (report.losses.len(), losses::rows(report.results));
    add(
        &mut text,
        format_args!("\n## What was lost: {lost} of {rows} rows\n\n"),
    );
    text.push_str(&table(&losses::table(&report.losses)));
    text.push_str("\n## Who is missing\n\n");
    text.push_str(&table(&report.missing()));
    text.push_str("\n## Versions\n\n");
    text.push_str(&table(&report.versions()));
    let mut source = None;
    for chapter in &report.chapters {
        if source != Some(chapter.source()) {
            source = Some(chapter.source());
            let about = chapter.source();
            add(
                &mut text,
                format_args!("\n## {}\n\n{}\n", about.title, about.about),
            );
        }
        add(
            &mut text,
            format_args!("\n### {}\n\n{}\n", chapter.table.name, chapter.table.about),
        );
        if !chapter.table.known.is_empty() {
            add(&mut text, format_args!("\n{}\n", chapter.table.known));
        }
        for plot in &chapter.plots {
            add(
                &mut text,
                format_args!("\n![{}](plots/{})\n", plot.about, plot.file),
            );
        }
        for figures in &chapter.figures {
            add(
                &mut text,
                format_args!(
                    "\n**{}**, {}\n\n{}",
                    figures.title,
                    figures.about,
                    table(figures)
                ),
            );
        }
        add(&mut text, format_args!("\nTaken {}.\n", chapter.taken));
    }
    text
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = text.write_fmt(more);
}

/// A table without its heading.
fn table(table: &suite::Table) -> String {
    if table.rows.is_empty() {
        return "Nothing.\n".to_owned();
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
