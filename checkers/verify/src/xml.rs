//! XML as robots are described in: elements and attributes (section 11).

use crate::error::{CheckError, Result, require, required};

/// Elements within elements; more than any description has.
const NESTING: usize = 256;

/// An element; text between elements is left out.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
}

pub(crate) fn broken(message: impl Into<String>) -> CheckError {
    CheckError::new("E-BINDING", message)
}

impl Element {
    /// Reads a document.
    pub(crate) fn document(data: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(data).ok();
        let text = required(text, "E-BINDING", "the description is not UTF-8")?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        require(text.chars().all(is_character), "E-BINDING", "a character does not occur in XML")?;
        Reader { rest: text, open: Vec::new(), root: None }.read()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| &value[..])
    }

    /// An attribute that must be there.
    pub(crate) fn named(&self, name: &str) -> Result<&str> {
        self.attribute(name).ok_or_else(|| broken(format!("a <{}> has no `{name}`", self.name)))
    }

    /// The child of a name, which occurs at most once.
    pub(crate) fn child(&self, name: &str) -> Result<Option<&Self>> {
        let mut found = self.all(name);
        let first = found.next();
        require(found.next().is_none(), "E-BINDING", format!("a <{}> has two <{name}>", self.name))?;
        Ok(first)
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The characters of XML 1.0.
fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_' || c == ':';
    let is_part = |c: char| is_letter(c) || c.is_numeric() || c == '-' || c == '.' || c == '\u{b7}';
    text.starts_with(is_letter) && text.chars().all(is_part)
}

struct Reader<'t> {
    rest: &'t str,
    /// Elements that are not closed.
    open: Vec<Element>,
    root: Option<Element>,
}

impl<'t> Reader<'t> {
    fn read(mut self) -> Result<Element> {
        let all = self.rest;
        while let Some((text, markup)) = self.rest.split_once('<') {
            self.check_text(text)?;
            self.rest = markup;
            if let Some(comment) = markup.strip_prefix("!--") {
                let end = required(comment.find("--"), "E-BINDING", "a comment has no end")?;
                self.rest = after(comment.get(end..), "-->")?;
            } else if let Some(data) = markup.strip_prefix("![CDATA[").filter(|_| !self.open.is_empty()) {
                self.rest = past(data, "]]>")?.1;
            } else if let Some(instruction) = markup.strip_prefix('?') {
                let (content, rest) = past(instruction, "?>")?;
                let is_first = std::ptr::eq(instruction.as_ptr(), all.as_ptr().wrapping_add(2));
                let target = content.split([' ', '\t', '\r', '\n']).next().unwrap_or_default();
                let right = is_name(target) && (is_first || !target.eq_ignore_ascii_case("xml"));
                require(right, "E-BINDING", "an instruction is wrong")?;
                self.rest = rest;
            } else if let Some(end) = markup.strip_prefix('/') {
                let (name, rest) = past(end, ">")?;
                self.rest = rest;
                self.close(name.trim_end_matches([' ', '\t', '\r', '\n']))?;
            } else {
                self.begin()?;
            }
        }
        self.check_text(self.rest)?;
        require(self.open.is_empty(), "E-BINDING", "an element has no end")?;
        required(self.root, "E-BINDING", "the description has no element")
    }

    /// Text is passed over; outside of the root there is none.
    fn check_text(&self, text: &str) -> Result<()> {
        let blank = text.chars().all(|c| c.is_ascii_whitespace());
        require(blank || !self.open.is_empty(), "E-BINDING", "there is text outside of the root")?;
        require(!text.contains("]]>"), "E-BINDING", "`]]>` occurs in a text")?;
        decoded(text).map(drop)
    }

    fn close(&mut self, name: &str) -> Result<()> {
        let last = self.open.pop().filter(|element| element.name == name);
        let element = last.ok_or_else(|| broken(format!("</{name}> closes another element")))?;
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => {
                require(self.root.is_none(), "E-BINDING", "there are two roots")?;
                self.root = Some(element);
            }
        }
        Ok(())
    }

    /// Reads an element from its name to the end of its attributes.
    fn begin(&mut self) -> Result<()> {
        require(self.open.len() < NESTING, "E-BINDING", "elements are nested too deep")?;
        let mut element = Element { name: self.name()?.to_owned(), ..Element::default() };
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let spaced = self.rest.len() < before;
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                self.open.push(element);
                return Ok(());
            }
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                let name = element.name.clone();
                self.open.push(element);
                return self.close(&name);
            }
            let key = self.name()?;
            let fresh = spaced && element.attribute(key).is_none();
            require(fresh, "E-BINDING", format!("the attribute `{key}` is wrong, or there twice"))?;
            let value = self.value()?;
            element.attributes.push((key.to_owned(), value));
        }
    }

    fn name(&mut self) -> Result<&'t str> {
        let end = self.rest.find([' ', '\t', '\r', '\n', '=', '/', '>', '<', '"', '\'', '&']);
        let (name, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len())).unwrap_or_default();
        require(is_name(name), "E-BINDING", "a name in the description is none, or the file has a DTD")?;
        self.rest = rest;
        Ok(name)
    }

    fn value(&mut self) -> Result<String> {
        let blanks = [' ', '\t', '\r', '\n'];
        let rest = after(Some(self.rest.trim_start_matches(blanks)), "=")?.trim_start_matches(blanks);
        let quote = rest.get(..1).filter(|quote| ["\"", "'"].contains(quote));
        let quote = required(quote, "E-BINDING", "the value of an attribute is not between quotes")?;
        let (value, rest) = past(after(Some(rest), quote)?, quote)?;
        require(!value.contains('<'), "E-BINDING", "the value of an attribute contains `<`")?;
        self.rest = rest;
        decoded(&value.replace("\r\n", " ").replace(['\t', '\r', '\n'], " "))
    }
}

/// The rest after a beginning that must be there.
fn after<'t>(text: Option<&'t str>, start: &str) -> Result<&'t str> {
    let rest = text.and_then(|text| text.strip_prefix(start));
    rest.ok_or_else(|| broken(format!("`{start}` is missing")))
}

/// The parts before and behind a mark.
fn past<'t>(text: &'t str, mark: &str) -> Result<(&'t str, &'t str)> {
    text.split_once(mark).ok_or_else(|| broken(format!("`{mark}` is missing")))
}

/// A text with its references replaced by the characters that they name.
fn decoded(text: &str) -> Result<String> {
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = past(part, ";")?;
        let number = name.strip_prefix('#').and_then(|digits| {
            let (digits, base) = digits.strip_prefix('x').map_or((digits, 10), |digits| (digits, 16));
            let all = digits.chars().all(|c| c.is_digit(base));
            u32::from_str_radix(digits, base).ok().filter(|_| all).and_then(char::from_u32)
        });
        let known = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
        let named = known.iter().find(|(own, _)| *own == name).map(|(_, c)| *c);
        let found = named.or(number.filter(|c| is_character(*c)));
        decoded.push(found.ok_or_else(|| broken(format!("`&{name};` is not known")))?);
        decoded.push_str(rest);
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::Element;

    #[test]
    fn elements_are_read() {
        let text = "\u{feff}<?xml version='1.0'?><!-- a -->\n<a b = 'x&amp;&#x41;&#66;\n' c=\"'\"><b/>text &lt;<c><![CDATA[<d>]]></c ><ü:d.e-1/></a>\n";
        let root = Element::document(text.as_bytes()).unwrap();
        assert_eq!((root.attribute("b"), root.attribute("c")), (Some("x&AB "), Some("'")));
        let names: Vec<&str> = root.children.iter().map(|child| &child.name[..]).collect();
        assert_eq!(names, ["b", "c", "ü:d.e-1"]);
    }

    #[test]
    fn what_is_no_xml_is_refused() {
        let wrong = [
            "",
            "text",
            "<a>",
            "</a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "x<a/>",
            "<a b=1/>",
            "<a b='1'c='2'/>",
            "<a b='1' b='2'/>",
            "<!DOCTYPE a><a/>",
            "<a>&x;</a>",
            "<a b='&lt'/>",
            "<a b='<'/>",
            "<a>]]></a>",
            "<a><!-- -- --></a>",
            "<a>\u{1}</a>",
            "<a b='&#0;'/>",
            "<a b='&#xd800;'/>",
            "< a/>",
            "<1a/>",
            "<a b/>",
            "<a><?xml version='1.0'?></a>",
            " <?xml version='1.0'?><a/>",
            "<a><!-- x</a>",
            "<a b='&#+65;'/>",
        ];
        for text in wrong {
            assert!(Element::document(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Element::document(b"<a b='\xff'/>").is_err());
        assert!(Element::document("<a>".repeat(300).as_bytes()).is_err());
    }
}
