//! The site: a frame around every page, one style, one script, and the search index as a script, because pages opened
//! from files may not fetch anything.

use super::page::{Page, address, escaped};
use super::summary::{Part, Summary};
use super::{files_below, has_extension, links};
use crate::workspace;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const STYLE: &str = include_str!("book.css");
const SCRIPT: &str = include_str!("book.js");

/// The place of files that are not part of the book.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

pub(crate) fn write(docs: &Path, out: &Path, summary: &Summary, pages: &[Page]) -> Result<(), String> {
    if out.exists() {
        fs::remove_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    for file in files_below(docs)?.iter().filter(|file| !has_extension(file, "md") && !file.starts_with(out))
    {
        let name = file.strip_prefix(docs).map_err(|error| error.to_string())?;
        put(&out.join(name), &fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?)?;
    }
    put(&out.join("book.css"), STYLE.as_bytes())?;
    put(&out.join("book.js"), SCRIPT.as_bytes())?;
    put(&out.join("search.js"), search_index(pages).as_bytes())?;
    for (number, page) in pages.iter().enumerate() {
        let html = frame(docs, summary, pages, number);
        put(&out.join(page.address()), html.as_bytes())?;
    }
    Ok(())
}

fn put(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(told)?;
    fs::write(file, bytes).map_err(told)
}

/// One entry for each heading: page, heading, address, text.
fn search_index(pages: &[Page]) -> String {
    let entries: Vec<_> = pages
        .iter()
        .flat_map(|page| {
            page.sections.iter().map(|section| {
                let text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
                json!([page.title(), section.title, format!("{}#{}", page.address(), section.id), text])
            })
        })
        .collect();
    format!("window.BOOK_INDEX = {};\n", serde_json::Value::from(entries))
}

/// Returns the complete HTML of a page.
fn frame(docs: &Path, summary: &Summary, pages: &[Page], number: usize) -> String {
    let page = &pages[number];
    let up = "../".repeat(page.path.matches('/').count());
    let body = page.html(|to| resolve(docs, page, to));
    let neighbour = |at: Option<&Page>, rel: &str, label: &str| {
        at.map_or(String::new(), |page| {
            format!(
                "<a rel=\"{rel}\" href=\"{up}{}\"><small>{label}</small>{}</a>",
                page.address(),
                escaped(page.title())
            )
        })
    };
    let previous = neighbour(number.checked_sub(1).map(|number| &pages[number]), "prev", "Previous");
    let next = neighbour(pages.get(number + 1), "next", "Next");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · {book}</title>\n<link rel=\"stylesheet\" href=\"{up}book.css\">\n\
         <script>try{{document.documentElement.dataset.theme=localStorage.getItem('theme')||''}}catch(e){{}}</script>\n\
         </head>\n<body data-up=\"{up}\">\n\
         <header><button id=\"menu\" aria-label=\"Contents\" aria-expanded=\"false\">☰</button>\
         <a class=\"name\" href=\"{up}index.html\">{book}</a>\
         <input id=\"search\" type=\"search\" placeholder=\"Search ( / )\" aria-label=\"Search\" autocomplete=\"off\">\
         <button id=\"theme\" aria-label=\"Light or dark\">◐</button></header>\n\
         <div id=\"results\" hidden></div>\n\
         <nav id=\"contents\" aria-label=\"Contents\">\n{contents}</nav>\n\
         <main>\n{body}<footer>{previous}{next}</footer>\n</main>\n\
         <aside aria-label=\"On this page\">{aside}</aside>\n\
         <script src=\"{up}search.js\"></script>\n<script src=\"{up}book.js\"></script>\n</body>\n</html>\n",
        title = escaped(page.title()),
        book = escaped(&summary.title),
        contents = contents(&summary.parts, page, &up),
        aside = on_this_page(page),
    )
}

fn contents(parts: &[Part], current: &Page, up: &str) -> String {
    let mut text = String::new();
    for part in parts {
        if !part.title.is_empty() {
            let _ = writeln!(text, "<h2>{}</h2>", escaped(&part.title));
        }
        text += "<ul>\n";
        for entry in &part.entries {
            let here = if entry.path == current.path { " aria-current=\"page\"" } else { "" };
            let title = escaped(&entry.title);
            let _ = writeln!(text, "<li><a href=\"{up}{}\"{here}>{title}</a></li>", address(&entry.path));
        }
        text += "</ul>\n";
    }
    text
}

/// Headings of the second and third level, where there are at least two.
fn on_this_page(page: &Page) -> String {
    let shown: Vec<_> = page.sections.iter().filter(|section| (2..=3).contains(&section.level)).collect();
    if shown.len() < 2 {
        return String::new();
    }
    let mut text = String::from("<h2>On this page</h2>\n<ul>\n");
    for section in shown {
        let title = escaped(&section.title);
        let _ =
            writeln!(text, "<li class=\"l{}\"><a href=\"#{}\">{title}</a></li>", section.level, section.id);
    }
    text + "</ul>\n"
}

/// Returns the address of a link in the site: pages by their HTML, files outside the book in the repository.
fn resolve(docs: &Path, page: &Page, to: &str) -> String {
    if links::is_external(to) || to.starts_with('#') {
        return to.to_owned();
    }
    let (path, anchor) =
        to.split_once('#').map_or((to, String::new()), |(path, at)| (path, format!("#{at}")));
    let target = links::beside(&docs.join(&page.path), path);
    if target.starts_with(docs) {
        return address(path) + &anchor;
    }
    let name = target.strip_prefix(workspace()).unwrap_or(&target);
    format!("{REPOSITORY}{}{anchor}", name.display())
}
