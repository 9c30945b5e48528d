//! Elements and attributes of XML, with places in every error.
//!
//! Document types are refused, so no entity can be defined and none expands; the number of nodes is bounded.

use crate::text::{Lines, numbers};
use crate::{Fault, Place, RobotError};
use roxmltree::{Document, Node, ParsingOptions};

const MAX_NODES: u32 = 4_000_000;

pub(crate) struct Xml<'a> {
    document: Document<'a>,
    lines: Lines<'a>,
}

/// An element with its position.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a, 'b> {
    node: Node<'b, 'a>,
    lines: &'b Lines<'a>,
}

impl<'a> Xml<'a> {
    pub(crate) fn parse(text: &'a str, format: &'static str) -> Result<Self, RobotError> {
        let lines = Lines::new(text)?;
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            let at = error.pos();
            let reason = match error {
                roxmltree::Error::DtdDetected => {
                    "a document type is not read, because it can define entities".to_owned()
                }
                roxmltree::Error::NodesLimitReached => format!("more than {MAX_NODES} elements"),
                // The place stands before the message anyway.
                other => {
                    let text = other.to_string();
                    text.rsplit_once(" at ").map_or(text.clone(), |(reason, _)| reason.to_owned())
                }
            };
            RobotError::at(Place { line: at.row, column: at.col }, Fault::Syntax { format, reason })
        })?;
        Ok(Self { document, lines })
    }

    /// The outermost element, which must have this name.
    pub(crate) fn root(&self, name: &str) -> Result<Element<'a, '_>, RobotError> {
        let root = Element { node: self.document.root_element(), lines: &self.lines };
        if root.name() != name {
            let (what, place) = (format!("the element `{name}`"), "the text".to_owned());
            return Err(RobotError::at(root.place(), Fault::Missing { what, place }));
        }
        Ok(root)
    }
}

impl<'a, 'b> Element<'a, 'b> {
    pub(crate) fn name(&self) -> &'b str {
        self.node.tag_name().name()
    }

    /// Returns `true` if it belongs to the macro language, which must be expanded first.
    pub(crate) fn is_macro(&self) -> bool {
        self.node.tag_name().namespace().is_some_and(|space| space.contains("xacro"))
    }

    pub(crate) fn place(&self) -> Place {
        self.lines.place(self.node.range().start)
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a, 'b>> {
        let lines = self.lines;
        self.node.children().filter(Node::is_element).map(move |node| Element { node, lines })
    }

    pub(crate) fn named(self, name: &'static str) -> impl Iterator<Item = Element<'a, 'b>> {
        self.children().filter(move |child| child.name() == name)
    }

    pub(crate) fn child(self, name: &'static str) -> Option<Element<'a, 'b>> {
        self.named(name).next()
    }

    pub(crate) fn need_child(self, name: &'static str) -> Result<Element<'a, 'b>, RobotError> {
        self.child(name).ok_or_else(|| self.missing(&format!("the element `{name}`")))
    }

    /// An attribute with its place.
    pub(crate) fn attribute(&self, name: &str) -> Option<(&'b str, Place)> {
        let attribute = self.node.attribute_node(name)?;
        Some((attribute.value(), self.lines.place(attribute.range().start)))
    }

    pub(crate) fn need(&self, name: &str) -> Result<(&'b str, Place), RobotError> {
        self.attribute(name).ok_or_else(|| self.missing(&format!("the attribute `{name}`")))
    }

    pub(crate) fn text_of(&self, name: &str) -> Result<String, RobotError> {
        Ok(self.need(name)?.0.to_owned())
    }

    /// The numbers of an attribute; `None` if it is not there.
    pub(crate) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, RobotError> {
        let Some((text, place)) = self.attribute(name) else { return Ok(None) };
        numbers(text, place, || format!("`{name}` of {}", self.what())).map(Some)
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, RobotError> {
        Ok(self.numbers::<1>(name)?.map(|[value]| value))
    }

    pub(crate) fn need_number(&self, name: &str) -> Result<f64, RobotError> {
        self.number(name)?.ok_or_else(|| self.missing(&format!("the attribute `{name}`")))
    }

    pub(crate) fn missing(&self, what: &str) -> RobotError {
        RobotError::at(self.place(), Fault::Missing { what: what.to_owned(), place: self.what() })
    }

    /// Returns its name in errors: its tag, with its name if it has one.
    pub(crate) fn what(&self) -> String {
        match self.node.attribute("name") {
            Some(name) => format!("{} `{}`", self.name(), crate::message::excerpt(name)),
            None => self.name().to_owned(),
        }
    }
}

/// Text for XML or HTML, between tags or in double quotes. White space survives in attributes too; characters that XML
/// cannot hold become question marks.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
