//! Bytes of a glTF file: in the binary file, embedded as base64, or in a separate file.

use super::document::{Buffer, BufferView, Document};
use crate::error::{FileError, Place};
use crate::text::excerpt;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Some writers leave the padding away.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The buffers, loaded when they are first used: images may lie in others.
pub(super) struct Buffers<'a> {
    document: &'a Document<'a>,
    binary_chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    loaded: Vec<OnceCell<Cow<'a, [u8]>>>,
}

/// A range of a buffer.
pub(super) struct View<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) stride: Option<usize>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document<'a>,
        binary_chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        let loaded = vec![OnceCell::new(); document.count::<Buffer<'_>>()];
        Self { document, binary_chunk, folder, loaded }
    }

    /// Returns a buffer view; `from` is the place of its number.
    pub(super) fn view(&self, index: usize, from: Place) -> Result<View<'_>, FileError> {
        let view: BufferView = self.document.item(index, from)?;
        let buffer = self.buffer(view.buffer, self.document.place::<BufferView>(index))?;
        let end = view.byte_offset.checked_add(view.byte_length);
        match end.and_then(|end| buffer.get(view.byte_offset..end)) {
            Some(bytes) => Ok(View { bytes, stride: view.byte_stride }),
            None => {
                let (start, length, buffer_length) = (view.byte_offset, view.byte_length, buffer.len());
                let reason = format!(
                    "it takes {length} bytes from byte {start} on, but its buffer has {buffer_length}"
                );
                Err(self.document.error::<BufferView>(index, reason, "correct byteOffset or byteLength"))
            }
        }
    }

    fn buffer(&self, index: usize, from: Place) -> Result<&[u8], FileError> {
        let Some(cell) = self.loaded.get(index) else {
            return self.document.item::<Buffer<'_>>(index, from).map(|_| [].as_slice());
        };
        if let Some(bytes) = cell.get() {
            return Ok(bytes);
        }
        let bytes = self.load(index, from)?;
        Ok(cell.get_or_init(|| bytes))
    }

    fn load(&self, index: usize, from: Place) -> Result<Cow<'a, [u8]>, FileError> {
        let buffer: Buffer<'a> = self.document.item(index, from)?;
        let error = |reason: String, remedy: &str| self.document.error::<Buffer<'_>>(index, reason, remedy);
        let bytes = match (&buffer.uri, self.binary_chunk) {
            (None, Some(chunk)) if index == 0 => Cow::Borrowed(chunk),
            (None, _) => return Err(error("it has neither a uri nor a binary chunk".into(), "give it one")),
            (Some(uri), _) => Cow::Owned(
                self.resolve(uri, buffer.byte_length)
                    .map_err(|(why, remedy)| error(format!("`{}` {why}", excerpt(uri.as_bytes())), remedy))?,
            ),
        };
        if bytes.len() < buffer.byte_length {
            let reason =
                format!("it should have {} bytes, but there are {}", buffer.byte_length, bytes.len());
            return Err(error(reason, "check that its data were written completely"));
        }
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..buffer.byte_length).unwrap_or(bytes)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(buffer.byte_length);
                Cow::Owned(bytes)
            }
        })
    }

    /// The data that a uri holds or names.
    fn resolve(&self, uri: &str, length: usize) -> Result<Vec<u8>, (String, &'static str)> {
        if let Some(data) = uri.strip_prefix("data:") {
            return embedded(data);
        }
        let remedy = "put the data into a file beside it, into a data uri or into a binary file (.glb)";
        let path = percent_decoded(uri);
        if path.contains(':') || Path::new(&path).is_absolute() {
            return Err(("is not a relative path".into(), remedy));
        }
        if Path::new(&path).components().any(|part| part == std::path::Component::ParentDir) {
            return Err(("leads out of the folder of the file".into(), remedy));
        }
        let Some(folder) = self.folder else {
            let remedy = "read the file by its path, or embed the buffer";
            return Err(("lies in another file, which bytes alone cannot name".into(), remedy));
        };
        read_at_most(folder.join(path), length).map_err(|error| {
            (format!("cannot be read: {error}"), "put the file where the uri says, relative to this one")
        })
    }
}

/// The content of a data uri, of which only the base64 form is in use.
fn embedded(data: &str) -> Result<Vec<u8>, (String, &'static str)> {
    let Some((_, encoded)) = data.split_once(";base64,") else {
        return Err(("is a data uri without base64".into(), "write data:application/octet-stream;base64,…"));
    };
    BASE64
        .decode(encoded.trim_ascii())
        .map_err(|error| (format!("is not base64: {error}"), "check that the data were written completely"))
}

/// An ordinary file, as far as it is needed: devices and pipes have no end.
fn read_at_most(path: PathBuf, length: usize) -> std::io::Result<Vec<u8>> {
    let path = crate::read_folders::permitted(&path).map_err(|error| std::io::Error::other(error.reason))?;
    if !std::fs::metadata(&path)?.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A uri with `%20` and the like resolved.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|digits| byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = tail.get(if decoded.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
