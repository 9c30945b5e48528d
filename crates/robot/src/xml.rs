//! Elements and attributes of XML, with places in every error.
//!
//! Document types are refused, so no entity can be defined and none expands; the number of nodes is bounded.

use crate::text::{Lines, numbers};
use crate::{Fault, Place, RobotError};
use roxmltree::{Document, Node, ParsingOptions};
use std::borrow::Cow;
use std::cell::RefCell;

const MAX_NODES: u32 = 4_000_000;

pub(crate) struct Xml<'a> {
    document: Document<'a>,
    lines: Lines<'a>,
    /// Faults that were tolerated while reading.
    warnings: RefCell<Vec<RobotError>>,
}

/// An element with its position.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a, 'b> {
    node: Node<'b, 'a>,
    xml: &'b Xml<'a>,
}

const XACRO: &str = "expand the file with the program `xacro` first: xacro FILE > robot.urdf";

impl<'a> Xml<'a> {
    pub(crate) fn parse(text: &'a str, format: &'static str) -> Result<Self, RobotError> {
        let lines = Lines::new(text)?;
        if let Some(first) = text.trim_start_matches('\u{feff}').trim_start().chars().next()
            && first != '<'
        {
            let reason = format!("this is no {format}: it begins with `{first}` instead of `<`");
            return Err(RobotError::at(Place { line: 1, column: 1 }, Fault::Syntax { format, reason }));
        }
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            let at = error.pos();
            let reason = match error {
                roxmltree::Error::DtdDetected => {
                    "a document type is not read, because it can define entities".to_owned()
                }
                roxmltree::Error::NodesLimitReached => format!("more than {MAX_NODES} elements"),
                roxmltree::Error::UnknownNamespace(ref prefix, _) if prefix == "xacro" => {
                    return RobotError::at(
                        Place { line: at.row, column: at.col },
                        macros("`xacro:` elements"),
                    );
                }
                // The place stands before the message anyway.
                other => {
                    let text = other.to_string();
                    text.rsplit_once(" at ").map_or(text.clone(), |(reason, _)| reason.to_owned())
                }
            };
            RobotError::at(Place { line: at.row, column: at.col }, Fault::Syntax { format, reason })
        })?;
        Ok(Self { document, lines, warnings: RefCell::default() })
    }

    /// The faults that were tolerated so far.
    pub(crate) fn into_warnings(self) -> Vec<RobotError> {
        self.warnings.into_inner()
    }

    /// The outermost element, which must have this name.
    pub(crate) fn root(&self, name: &str) -> Result<Element<'a, '_>, RobotError> {
        let root = Element { node: self.document.root_element(), xml: self };
        if root.name() != name {
            let remedy = "give the URDF of the robot, or convert the model to URDF";
            let fault = match root.name() {
                "sdf" | "gazebo" => Fault::Refused { what: "SDF, the format of Gazebo,".to_owned(), remedy },
                "mujoco" | "mujocoinclude" => {
                    Fault::Refused { what: "MJCF, the format of MuJoCo,".to_owned(), remedy }
                }
                _ => {
                    let (what, place) = (format!("the element `{name}`"), "the text".to_owned());
                    Fault::Missing { what, place }
                }
            };
            return Err(RobotError::at(root.place(), fault));
        }
        Ok(root)
    }

    /// Refuses elements of the macro language, wherever they are.
    pub(crate) fn refuse_macros(&self) -> Result<(), RobotError> {
        let is_macro = |node: &Node<'_, '_>| {
            node.is_element() && node.tag_name().namespace().is_some_and(|space| space.contains("xacro"))
        };
        let Some(node) = self.document.descendants().find(is_macro) else { return Ok(()) };
        let what = format!("the macro element `{}`", node.tag_name().name());
        Err(RobotError::at(self.lines.place(node.range().start), macros(&what)))
    }
}

fn macros(what: &str) -> Fault {
    Fault::Refused { what: what.to_owned(), remedy: XACRO }
}

/// The text without an XML declaration that does not begin it; the declaration becomes spaces, so that places stay.
pub(crate) fn without_late_declaration(text: &str) -> (Cow<'_, str>, Option<usize>) {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(comment) = rest.strip_prefix("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { return (Cow::Borrowed(text), None) };
        rest = after.trim_start();
    }
    let before = text.strip_suffix(rest).unwrap_or_default();
    let begins = before.trim_start_matches('\u{feff}').is_empty();
    let Some((declaration, after)) = rest.split_once("?>").filter(|_| rest.starts_with("<?xml ") && !begins)
    else {
        return (Cow::Borrowed(text), None);
    };
    let blank = " ".repeat(declaration.len());
    (Cow::Owned(format!("{before}{blank}  {after}")), Some(before.len()))
}

impl<'a, 'b> Element<'a, 'b> {
    pub(crate) fn name(&self) -> &'b str {
        self.node.tag_name().name()
    }

    pub(crate) fn place(&self) -> Place {
        self.xml.lines.place(self.node.range().start)
    }

    /// Notes a fault that is tolerated.
    pub(crate) fn warn(&self, place: Place, what: impl Into<String>, done: impl Into<String>) {
        let fault = Fault::Tolerated { what: what.into(), done: done.into() };
        self.xml.warnings.borrow_mut().push(RobotError::at(place, fault));
    }

    /// The same for an error that ends no more than its element.
    pub(crate) fn tolerate(&self, error: RobotError) {
        self.xml.warnings.borrow_mut().push(error);
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a, 'b>> {
        let xml = self.xml;
        self.node.children().filter(Node::is_element).map(move |node| Element { node, xml })
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

    /// Refuses children that only another format has, which was given in place of this one.
    pub(crate) fn refuse_children(
        self,
        names: &[&str],
        format: &str,
        remedy: &'static str,
    ) -> Result<(), RobotError> {
        let Some(child) = self.children().find(|child| names.contains(&child.name())) else { return Ok(()) };
        let what = format!("{format} in place of this file");
        Err(RobotError::at(child.place(), Fault::Refused { what, remedy }))
    }

    /// An attribute with its place.
    pub(crate) fn attribute(&self, name: &str) -> Option<(&'b str, Place)> {
        let attribute = self.node.attribute_node(name)?;
        Some((attribute.value(), self.xml.lines.place(attribute.range().start)))
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
        let what = || format!("`{name}` of {}", self.what());
        if text.contains("${") || text.contains("$(") {
            return Err(RobotError::at(place, macros(&format!("the macro expression in {}", what()))));
        }
        if N > 1 && text.contains(',') {
            let found = numbers(&text.replace(',', " "), place, what)?;
            self.warn(
                place,
                format!("{} has commas between its numbers", what()),
                "they are taken as spaces",
            );
            return Ok(Some(found));
        }
        numbers(text, place, what).map(Some)
    }

    /// A number that may be infinite; `None` if it is not there.
    pub(crate) fn number_or_infinite(&self, name: &str) -> Result<Option<f64>, RobotError> {
        let text = self.attribute(name).map(|(text, _)| text.trim());
        match text.and_then(|text| text.parse::<f64>().ok()).filter(|value| value.is_infinite()) {
            Some(value) => Ok(Some(value)),
            None => self.number(name),
        }
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
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
