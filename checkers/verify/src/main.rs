//! `noli-verify FILE [--files FOLDER] [--urdf FILE] [--threads N] [--exact]`: prints the verdict as JSON and ends with 0, 1 or 2.

use noli_verify::{CheckError, NOT_COVERED, Options, Report, check};
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: noli-verify FILE [--files FOLDER] [--urdf FILE] [--threads N] [--exact]";

fn main() -> ExitCode {
    run().unwrap_or_else(|message| {
        eprintln!("{message}\n{USAGE}");
        ExitCode::from(2)
    })
}

fn run() -> Result<ExitCode, String> {
    let (file, options) = arguments(std::env::args().skip(1))?;
    let data = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
    let report = check(&data, &options);
    writeln!(std::io::stdout(), "{}", json(&report)).map_err(|error| error.to_string())?;
    let unreadable = report.error.as_ref().is_some_and(CheckError::is_unreadable);
    Ok(ExitCode::from(u8::from(report.error.is_some()) + u8::from(unreadable)))
}

fn arguments(mut all: impl Iterator<Item = String>) -> Result<(String, Options), String> {
    let (mut file, mut options) = (None, Options::default());
    while let Some(argument) = all.next() {
        match argument.as_str() {
            "--files" => options = options.with_files(all.next().ok_or("--files needs a folder")?),
            "--urdf" => options = options.with_urdf(all.next().ok_or("--urdf needs a file")?),
            "--threads" => {
                let count =
                    all.next().and_then(|count| count.parse().ok()).ok_or("--threads needs a number")?;
                options = options.with_threads(count);
            }
            "--exact" => options = options.with_exact(),
            _ if file.is_none() && !argument.starts_with("--") => file = Some(argument),
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    Ok((file.ok_or("no file is given")?, options))
}

fn json(report: &Report) -> String {
    let mut parts = Vec::new();
    match &report.error {
        None => parts.push("\"verdict\": \"valid\"".to_owned()),
        Some(error) => {
            let verdict = if error.is_unreadable() { "unreadable" } else { "invalid" };
            let item = error.item.map_or("null".to_owned(), |item| item.to_string());
            let (code, message) = (quoted(error.code), quoted(&error.message));
            let error = format!("{{\"code\": {code}, \"item\": {item}, \"message\": {message}}}");
            parts.push(format!("\"verdict\": {}, \"error\": {error}", quoted(verdict)));
        }
    }
    let statements = report.statements.iter().map(|statement| {
        let clearance = match statement.clearance_at_least {
            Some(least) if least.is_finite() => format!(", \"clearance_at_least\": {least:?}"),
            Some(_) => ", \"clearance_at_least\": null".to_owned(),
            None => String::new(),
        };
        format!(
            "{{\"title\": {}, \"claim\": {}, \"over\": {}, \"pairs\": {}, \"disabled\": {}{clearance}}}",
            quoted(&statement.title),
            quoted(statement.claim),
            quoted(&statement.over),
            statement.pairs,
            statement.disabled
        )
    });
    parts.push(format!("\"statements\": [{}]", statements.collect::<Vec<_>>().join(", ")));
    if report.error.is_none() {
        parts.push(format!("\"not_covered\": {}", quoted(NOT_COVERED)));
    }
    if let Some(list) = &report.not_compared {
        let state = if list.is_empty() { "bound" } else { "bound in part" };
        let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
        parts.push(format!("\"urdf\": \"{state}\", \"not_compared\": [{}]", list.join(", ")));
    }
    if !report.sources.is_empty() {
        let sources = report.sources.iter().map(|(name, state)| {
            format!("{{\"name\": {}, \"state\": {}}}", quoted(name), quoted(state.words()))
        });
        parts.push(format!("\"sources\": [{}]", sources.collect::<Vec<_>>().join(", ")));
    }
    format!("{{{}}}", parts.join(", "))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' || c == '\u{7f}' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
