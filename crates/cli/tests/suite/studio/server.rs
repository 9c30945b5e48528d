//! The server without a browser: start, end and exports.

use super::Studio;
use noli_testing::{Folder, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

#[test]
fn the_address_is_one_line_and_sigterm_ends_the_server() {
    let mut studio = Studio::start(&["--demo", "--detail", "1"]);
    assert!(studio.url.starts_with("http://127.0.0.1:") && studio.url.contains("/?token="), "{}", studio.url);
    #[cfg(unix)]
    {
        Command::new("kill").arg(studio.server.id().to_string()).status().unwrap();
        assert!(studio.server.wait().unwrap().success(), "it ends by itself, with code 0");
    }
}

/// Fetches an exported file, once it is available.
fn fetched(studio: &Studio, name: &str) -> Vec<u8> {
    let (address, token) = studio.url.strip_prefix("http://").unwrap().split_once("/?").unwrap();
    eventually(|| {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "GET /api/export/{name}?{token} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        if !answer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&answer).into_owned());
        }
        let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        Ok(answer.split_off(body))
    })
}

/// Exports contain depths, volumes, tolerances and groups, and equal the files of the command line byte for byte.
#[test]
fn exports_equal_the_files_of_the_command_line() {
    let folder = Folder::new("studio-exports");
    let scene = "units = \"mm\"\n[[body]]\nname = \"block\"\nbox = [20, 20, 20]\n\n\
                 [[body]]\nname = \"pin\"\nbox = [4, 4, 30]\npose = { xyz = [0, 0, 20] }\n\n\
                 [[body]]\nname = \"shim\"\nbox = [20, 20, 2]\npose = { xyz = [0, 0, -10.9] }\n\n\
                 [[body]]\nname = \"nut\"\nbox = [2, 2, 2]\npose = { xyz = [30, 0, 0] }\n\n[check]\nmargin = 0.5\ntolerance = 0.2\n";
    let file = folder.file("block.toml", scene);
    // Topics contain dates, pages the duration of the check.
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noli"));
        command.args(arguments).env("SOURCE_DATE_EPOCH", "1700000000").stdout(Stdio::piped());
        command
    };
    let written = |name: &str| folder.0.join(name).display().to_string();
    let mut check = vec!["check".to_owned(), file.clone()];
    for (option, name) in [("json", "r.json"), ("csv", "r.csv"), ("html", "r.html"), ("bcf", "r.bcf")] {
        check.push(format!("--{option}={}", written(name)));
    }
    let check = run(&check.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    assert_eq!(crate::support::exit_code(&check), 1, "{}", crate::support::stderr(&check));
    let mut server = run(&["serve", &file, "--port", "0", "--no-browser"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let studio = Studio { server, url: line.trim().to_owned() };
    for (ours, theirs) in [("report.json", "r.json"), ("report.csv", "r.csv"), ("report.bcf", "r.bcf")] {
        let (ours, theirs) = (fetched(&studio, ours), std::fs::read(written(theirs)).unwrap());
        assert!(
            ours == theirs,
            "{} and {} bytes: {}",
            ours.len(),
            theirs.len(),
            String::from_utf8_lossy(&ours)
        );
    }
    let timeless = |page: &[u8]| {
        let page = String::from_utf8_lossy(page);
        let (before, after) = page.split_once("checked in ").expect("the page has its duration");
        format!("{before}{}", after.split_once(" s;").unwrap().1)
    };
    let theirs = std::fs::read(written("r.html")).unwrap();
    assert_eq!(timeless(&fetched(&studio, "report.html")), timeless(&theirs));
    let report: Value = serde_json::from_slice(&fetched(&studio, "report.json")).unwrap();
    assert_eq!(report["summary"]["within_tolerance"], 1, "{report}");
}
