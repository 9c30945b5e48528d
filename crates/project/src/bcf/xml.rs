//! As much XML as a topic needs.

use noli_robot::escaped;
use std::fmt::Write as _;

/// A document in the making.
pub(super) struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub(super) fn new() -> Self {
        Self { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.open.len()));
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.indent();
        let _ = write!(self.text, "<{name}");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escaped(value));
        }
    }

    /// Opens an element that has others in it.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text += ">\n";
        self.open.push(name);
    }

    /// Closes the element that was opened last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// An element with nothing in it.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text += "/>\n";
    }

    /// An element with text in it.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.start(name, &[]);
        let _ = writeln!(self.text, ">{}</{name}>", escaped(text));
    }

    /// Writes an element unless its text is empty.
    pub(super) fn some(&mut self, name: &str, text: &str) {
        if !text.trim().is_empty() {
            self.text(name, text);
        }
    }

    /// Three numbers in an element.
    pub(super) fn vector(&mut self, name: &'static str, vector: [f64; 3]) {
        self.open(name, &[]);
        for (axis, x) in ["X", "Y", "Z"].iter().zip(vector) {
            self.text(axis, &format!("{x:?}"));
        }
        self.close();
    }

    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}
