//! Mesh files for the project's folder. They are written as they come, so a large one takes no memory.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use noli_formats::FileError;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// The largest file that is taken.
pub(crate) const LARGEST: usize = 512 << 20;
/// Pieces of a file that wait to be written, at most.
const MOST_PIECES: usize = 16;

/// Reasons why a file is not taken.
pub(crate) enum Refused {
    /// It is larger than [`LARGEST`].
    TooLarge,
    /// The connection ended before the file did.
    Broken,
    /// There is a file of that name, or the disk is full.
    Io(io::Error),
    /// It is no readable mesh.
    Unread(FileError),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a body into a new file. Nothing that is there is written over; half a file is not kept, and would be taken for a smaller part.
pub(crate) async fn take(mut body: Body, path: PathBuf, is_mesh: bool) -> Result<(), Refused> {
    let (sender, pieces) = mpsc::channel::<Bytes>(MOST_PIECES);
    let (ended, is_whole) = tokio::sync::oneshot::channel();
    let target = path.clone();
    let writing = tokio::task::spawn_blocking(move || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&target)?;
        let kept = write(&mut file, pieces, is_whole, &target, is_mesh);
        if kept.is_err() {
            let _ = std::fs::remove_file(&target);
        }
        kept
    });
    let mut length = 0_usize;
    let outcome = loop {
        match body.frame().await {
            None => break Ok(()),
            Some(Err(_)) => break Err(Refused::Broken),
            Some(Ok(frame)) => {
                let Ok(bytes) = frame.into_data() else { continue };
                length = length.saturating_add(bytes.len());
                if length > LARGEST {
                    break Err(Refused::TooLarge);
                }
                // The other side has an error to report.
                if sender.send(bytes).await.is_err() {
                    break Ok(());
                }
            }
        }
    };
    drop(sender);
    let _ = ended.send(outcome);
    writing.await.unwrap_or(Err(Refused::Broken))
}

/// Writes all pieces, and reads the file back if it is a mesh: one that cannot be read would stand in the way of
/// opening the folder.
fn write(
    file: &mut File,
    mut pieces: mpsc::Receiver<Bytes>,
    is_whole: tokio::sync::oneshot::Receiver<Result<(), Refused>>,
    path: &Path,
    is_mesh: bool,
) -> Result<(), Refused> {
    while let Some(piece) = pieces.blocking_recv() {
        file.write_all(&piece)?;
    }
    is_whole.blocking_recv().unwrap_or(Err(Refused::Broken))?;
    file.sync_all()?;
    if is_mesh {
        noli_formats::read_objects(path, &Default::default()).map_err(Refused::Unread)?;
    }
    Ok(())
}
