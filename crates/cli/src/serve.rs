//! `noli serve`: the studio in the browser.

use crate::output;
use anyhow::{Context, Result, anyhow};
use noli_formats::PrivateFolder;
use noli_serve::session::Session;
use noli_serve::{Opening, Panel, Project, Server};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use tokio::sync::oneshot;

/// Open the studio in the browser: view a scene, move bodies until they touch, play motions.
///
/// Prints one line with the address, and serves until it is stopped (Ctrl-C). Only this machine is served, and
/// only requests with the token in the address. Nothing outside the folder of the scene is written. Files that the
/// scene names are read wherever they lie; the page reads files of the folder alone.
#[derive(clap::Args)]
pub struct Arguments {
    /// A scene or cell (TOML), a robot (URDF), a component database (.db), a mesh file or a folder, which may be empty; by
    /// default this folder. Files of a folder that cannot be read are listed in the page.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Open a bundled scene instead; `noli scenes list` shows all.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "engine-bay", conflicts_with = "path")]
    demo: Option<String>,
    /// With --demo: mesh resolution of the bundled scene (2); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    detail: Option<u32>,
    /// The port; 0 is any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Keep the token of the address in this file, which is made if there is none: with --port, a restarted server has
    /// the same address, and open tabs go on.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Do not open a browser.
    #[arg(long)]
    no_browser: bool,
}

/// Serves the studio with further panels until it is stopped.
pub fn run(arguments: &Arguments, panels: Vec<Box<dyn Panel>>) -> Result<()> {
    let opening = match (&arguments.demo, &arguments.path) {
        (Some(name), _) => Opening::Bundled(name.clone(), arguments.detail.unwrap_or(2)),
        (None, path) => {
            crate::refuse_detail(arguments.detail)?;
            let path = path.clone().unwrap_or_else(|| PathBuf::from("."));
            if panels.iter().any(|panel| panel.claims(&path)) {
                Opening::OfPanel(path)
            } else {
                Opening::Path(path)
            }
        }
    };
    let mut project = Project::open(&opening)?;
    project.claim()?;
    let (session, notes) = Session::with_panels(project, panels).map_err(|trouble| anyhow!("{trouble}"))?;
    notes.iter().for_each(|note| output::note(note));
    let server = match &arguments.token_file {
        Some(path) => Server::bind_with(arguments.port, kept_token(path)?)?,
        None => Server::bind(arguments.port)?,
    };
    let url = server.url();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the server")?;
    let stop = stopped()?;
    output::print(&format!("{url}\n"))?;
    // Kept while the server runs: the browser may be slow.
    let _redirect = if arguments.no_browser { None } else { open_browser(&url) };
    runtime.block_on(noli_serve::serve(server, session, async {
        let _ = stop.await;
    }))?;
    Ok(())
}

/// Returns the token of a file; a file that does not exist is made with a new one, for this user alone.
fn kept_token(path: &Path) -> Result<String> {
    let place = || path.display().to_string();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(mut file) => {
            let token = noli_serve::new_token()?;
            file.write_all(format!("{token}\n").as_bytes()).with_context(place)?;
            return Ok(token);
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(place),
    }
    #[cfg(unix)]
    {
        let mode = std::fs::metadata(path).with_context(place)?.permissions();
        if std::os::unix::fs::PermissionsExt::mode(&mode) & 0o077 != 0 {
            let text =
                "other users can read the token in this file; run chmod 600 on it, or name another file";
            return Err(anyhow!("{}: {text}", place()));
        }
    }
    let token = noli_formats::text_of(path).map_err(|error| error.in_file(path))?.trim().to_owned();
    if token.len() != 48 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let text = "this is no token of 48 hexadecimal digits; delete the file to get a new one";
        return Err(anyhow!("{}: {text}", place()));
    }
    Ok(token)
}

/// Ready on Ctrl-C or a polite kill.
fn stopped() -> Result<oneshot::Receiver<()>> {
    let (sender, receiver) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    ctrlc::set_handler(move || {
        noli_formats::remove_unfinished();
        match sender.lock().ok().and_then(|mut sender| sender.take()) {
            Some(sender) => drop(sender.send(())),
            // Asked twice: at once.
            None => std::process::exit(130),
        }
    })
    .context("cannot watch for Ctrl-C")?;
    Ok(receiver)
}

/// Opens an address with the system's handler. Without a screen nothing happens: the address has been printed.
///
/// The browser gets the name of a file that leads there, which only this user can read: arguments of programs are seen by
/// every user of the machine, and with the token they could use the studio.
fn open_browser(url: &str) -> Option<PrivateFolder> {
    let folder = PrivateFolder::new().ok()?;
    let file = folder.path().join("studio.html");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><title>noli studio</title>\
         <a href=\"{url}\">noli studio</a>\n"
    );
    noli_formats::write_whole(&file, page.as_bytes()).ok()?;
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok().then_some(folder)
}
