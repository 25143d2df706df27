//! The page as one file that needs nothing else.

use super::chapter::Chapter;
use super::escaped::escaped;
use super::records::Record;
use super::{Report, summary};
use std::fmt::Write;

/// What the report is.
pub const ABOUT: &str = "What this project stands on was published with tables of workloads. Each is rebuilt here and run \
again beside every rival that can be had: each run is a process of its own, rounds alternate between the contenders, every \
answer is checked, and medians are shown. A ratio is the median of the rounds' ratios, and says who is ahead: that figure is \
bold. \"ours / it\" is the ratio at the largest size that both ran. Contenders that are slow at a workload run it up to a \
size only, and whoever is missing runs none.";

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2433;background:#fff}\
h1,h2,h3{line-height:1.2}h2{margin-top:3rem;border-bottom:2px solid #d1495b}\
table{border-collapse:collapse;margin:1rem 0;font-size:.9rem;display:block;overflow-x:auto}\
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #dde}\
th:first-child,td:first-child{text-align:left}tr.ours{background:#fdeef0}\
svg{max-width:100%;height:auto;border:1px solid #eee;margin:.5rem 0}\
.warning{background:#fff4d6;border-left:4px solid #e0a100;padding:.5rem 1rem}\
.taken{color:#667;font-size:.85rem}nav a{margin-right:.8rem}";

/// A cell's text, which may be bold or code as in Markdown.
fn cell(text: &str) -> String {
    let marked = |text: String, mark: &str, tag: &str| {
        let mut html = String::new();
        for (place, part) in text.split(mark).enumerate() {
            match place % 2 {
                0 => html.push_str(part),
                _ => html.push_str(&format!("<{tag}>{part}</{tag}>")),
            }
        }
        html
    };
    marked(marked(escaped(text), "**", "b"), "`", "code")
}

fn add(html: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = html.write_fmt(more);
}

fn table(table: &suite::Table) -> String {
    if table.rows.is_empty() {
        return "<p>None.</p>\n".to_owned();
    }
    let mut html = String::from("<table><tr>");
    for column in &table.columns {
        add(&mut html, format_args!("<th>{}</th>", cell(column)));
    }
    html.push_str("</tr>\n");
    for row in &table.rows {
        let is_ours = row.first().is_some_and(|name| name == crate::who::OURS);
        html.push_str(if is_ours {
            "<tr class=\"ours\">"
        } else {
            "<tr>"
        });
        for text in row {
            add(&mut html, format_args!("<td>{}</td>", cell(text)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    for note in &table.notes {
        add(&mut html, format_args!("<p>{}</p>\n", cell(note)));
    }
    html
}

fn chapter(html: &mut String, chapter: &Chapter) {
    let told = chapter.table;
    let (name, about) = (told.name, cell(told.about));
    add(
        html,
        format_args!("<h3 id=\"{name}\">{name}</h3>\n<p>{about}</p>\n"),
    );
    if !told.known.is_empty() {
        add(html, format_args!("<p>{}</p>\n", cell(told.known)));
    }
    for plot in &chapter.plots {
        html.push_str(&plot.svg);
    }
    for figures in &chapter.figures {
        let (title, about) = (cell(&figures.title), cell(&figures.about));
        add(
            html,
            format_args!("<p><b>{title}</b>, {about}</p>\n{}", table(figures)),
        );
    }
    add(
        html,
        format_args!("<p class=\"taken\">Taken {}.</p>\n", cell(&chapter.taken)),
    );
}

fn head(report: &Report<'_>) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>The tables of the field</title><style>{STYLE}</style></head><body>\n\
         <h1>The tables of the field</h1>\n<p>{}</p>\n<p>Less is better in every plot.</p>\n",
        cell(ABOUT)
    );
    for warning in report.warnings() {
        add(
            &mut html,
            format_args!("<p class=\"warning\">{}</p>\n", cell(&warning)),
        );
    }
    list(&mut html, &report.facts());
    html.push_str("<nav>");
    for chapter in &report.chapters {
        let name = chapter.table.name;
        add(&mut html, format_args!("<a href=\"#{name}\">{name}</a> "));
    }
    for record in &report.records {
        let (kind, title) = (record.kind, cell(record.title));
        add(&mut html, format_args!("<a href=\"#{kind}\">{title}</a> "));
    }
    html.push_str("</nav>\n");
    html
}

/// The page's text.
pub fn page(report: &Report<'_>) -> String {
    let mut html = head(report);
    for part in summary::parts(report) {
        add(&mut html, format_args!("<h2>{}</h2>\n", cell(&part.title)));
        for (about, figures) in &part.tables {
            if !about.is_empty() {
                add(&mut html, format_args!("<p>{}</p>\n", cell(about)));
            }
            html.push_str(&table(figures));
        }
    }
    let mut source = None;
    for part in &report.chapters {
        if source != Some(part.source()) {
            source = Some(part.source());
            heading(&mut html, part.source().title, part.source().about);
        }
        chapter(&mut html, part);
    }
    for part in &report.records {
        record(&mut html, part);
    }
    html.push_str("</body></html>\n");
    html
}

fn list(html: &mut String, lines: &[String]) {
    html.push_str("<ul>");
    for line in lines {
        add(html, format_args!("<li>{}</li>", cell(line)));
    }
    html.push_str("</ul>\n");
}

fn record(html: &mut String, record: &Record) {
    add(html, format_args!("<a id=\"{}\"></a>", record.kind));
    heading(html, record.title, &record.about);
    list(html, &record.facts);
    record
        .plots
        .iter()
        .for_each(|plot| html.push_str(&plot.svg));
    for figures in &record.tables {
        let (title, about) = (cell(&figures.title), cell(&figures.about));
        let figures = table(figures);
        add(
            html,
            format_args!("<h3>{title}</h3>\n<p>{about}</p>\n{figures}"),
        );
    }
}

fn heading(html: &mut String, title: &str, about: &str) {
    let (title, about) = (cell(title), cell(about));
    add(html, format_args!("<h2>{title}</h2>\n<p>{about}</p>\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_taken_for_a_tag() {
        assert_eq!(cell("a<b> **c** `d`"), "a&lt;b&gt; <b>c</b> <code>d</code>");
    }
}
