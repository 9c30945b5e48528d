//! The studio from a program of your own: `cargo run -p noli-serve --example studio [SCENE | BUNDLED NAME]`.
#![allow(clippy::print_stdout, reason = "the address is what it is for")]

use noli_serve::session::Session;
use noli_serve::{Opening, Project, Server};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "engine-bay".to_owned());
    let path = std::path::PathBuf::from(&name);
    let opening = if path.exists() { Opening::Path(path) } else { Opening::Bundled(name, 2) };
    let (session, notes) = Session::new(Project::open(&opening)?)?;
    notes.iter().for_each(|note| eprintln!("{note}"));
    let server = Server::bind(0)?;
    println!("{}", server.url());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Until the program is ended; a server with an end of its own passes what it waits for.
    runtime.block_on(noli_serve::serve(server, session, std::future::pending()))?;
    Ok(())
}
