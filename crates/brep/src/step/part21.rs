//! The clear-text encoding of ISO 10303-21: instances and their parameters, without meaning.

use super::StepError;
use super::text::decode;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Deepest nesting of lists and typed parameters; files in use have at most six.
const MAX_NESTING: usize = 64;

/// A parameter of an instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// An integer or a real; integers up to 2^53 are exact.
    Number(f64),
    Text(String),
    /// `.NAME.`, without the dots.
    Enumeration(String),
    /// `#12`.
    Reference(u64),
    List(Vec<Value>),
    /// `NAME(parameters)`.
    Typed(String, Vec<Value>),
    /// `$`.
    Unset,
    /// `*`.
    Derived,
}

/// One keyword with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) keyword: String,
    pub(super) values: Vec<Value>,
}

/// An instance: one record, or several of a complex instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instance {
    pub(super) line: usize,
    pub(super) records: Vec<Record>,
}

impl Instance {
    /// The record with this keyword.
    pub(super) fn record(&self, keyword: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.keyword == keyword)
    }
}

/// All instances of a file by number.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub(super) schema: String,
    pub(super) instances: HashMap<u64, Instance>,
    /// The numbers in the order of the file.
    pub(super) order: Vec<u64>,
    /// The line of the first instance that refers to a number; made when it is needed.
    uses: OnceCell<HashMap<u64, usize>>,
}

impl Exchange {
    /// The line of the first instance that refers to a number; 0 if none does.
    pub(super) fn first_use(&self, id: u64) -> usize {
        let uses = self.uses.get_or_init(|| {
            let mut uses = HashMap::new();
            for instance in self.order.iter().filter_map(|id| self.instances.get(id)) {
                let mut open: Vec<&Value> =
                    instance.records.iter().flat_map(|record| &record.values).collect();
                while let Some(value) = open.pop() {
                    match value {
                        Value::Reference(other) => {
                            uses.entry(*other).or_insert(instance.line);
                        }
                        Value::List(values) | Value::Typed(_, values) => open.extend(values),
                        _ => {}
                    }
                }
            }
            uses
        });
        uses.get(&id).copied().unwrap_or(0)
    }
}

/// Reads the text of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Exchange, StepError> {
    // Editors that save text with a byte order mark do so with STEP files too.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut scanner = Scanner { bytes, at: 0, line: 1 };
    let mut exchange = Exchange::default();
    scanner.blank()?;
    if !scanner.takes(b"ISO-10303-21") {
        return Err(scanner
            .error("the file does not begin with ISO-10303-21", "name a STEP file (Part 21, clear text)"));
    }
    scanner.expect(b';')?;
    loop {
        let keyword = scanner.keyword()?;
        match keyword.as_str() {
            "HEADER" => {
                scanner.expect(b';')?;
                header(&mut scanner, &mut exchange)?;
            }
            "DATA" => {
                scanner.blank()?;
                if scanner.peek() == Some(b'(') {
                    scanner.list(0)?;
                }
                scanner.expect(b';')?;
                data(&mut scanner, &mut exchange)?;
            }
            "END-ISO-10303-21" => return Ok(exchange),
            // Anchors, references and signatures hold no shape.
            "ANCHOR" | "REFERENCE" | "SIGNATURE" => scanner.skip_section()?,
            other => {
                return Err(scanner
                    .error(format!("unknown section {other}"), "write the file again in its CAD program"));
            }
        }
    }
}

fn header(scanner: &mut Scanner<'_>, exchange: &mut Exchange) -> Result<(), StepError> {
    loop {
        let keyword = scanner.keyword()?;
        if keyword == "ENDSEC" {
            return scanner.expect(b';');
        }
        scanner.blank()?;
        let values = scanner.list(0)?;
        if keyword == "FILE_SCHEMA"
            && let Some(Value::List(names)) = values.first()
            && let Some(Value::Text(name)) = names.first()
        {
            exchange.schema = name.clone();
        }
        scanner.expect(b';')?;
    }
}

fn data(scanner: &mut Scanner<'_>, exchange: &mut Exchange) -> Result<(), StepError> {
    loop {
        scanner.blank()?;
        if scanner.peek() != Some(b'#') {
            let keyword = scanner.keyword()?;
            return match keyword.as_str() {
                "ENDSEC" => scanner.expect(b';'),
                _ => Err(scanner.error(format!("expected an instance or ENDSEC, found {keyword}"), REWRITE)),
            };
        }
        let line = scanner.line;
        let number = scanner.reference()?;
        scanner.expect(b'=')?;
        scanner.blank()?;
        let records =
            if scanner.peek() == Some(b'(') { scanner.complex()? } else { vec![scanner.record(0)?] };
        scanner.expect(b';')?;
        if exchange.instances.insert(number, Instance { line, records }).is_some() {
            return Err(StepError::new(line, format!("#{number} is defined twice"), REWRITE));
        }
        exchange.order.push(number);
    }
}

const REWRITE: &str = "write the file again in its CAD program";

struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
    line: usize,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "places in the file, and few beyond; lines and depths are fewer"
)]
impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, reason: impl Into<String>, remedy: &str) -> StepError {
        StepError::new(self.line, reason, remedy)
    }

    fn unexpected(&self, wanted: &str) -> StepError {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(byte) => format!("'{}'", char::from(byte).escape_default()),
        };
        self.error(
            format!("expected {wanted}, found {found}"),
            "the file may be cut off or damaged; write it again",
        )
    }

    /// Skips white space and comments.
    fn blank(&mut self) -> Result<(), StepError> {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                // Print control directives.
                b'\\' if matches!(self.bytes.get(self.at + 1..self.at + 3), Some(b"N\\" | b"F\\")) => {
                    self.at += 2
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    let from = self.line;
                    self.at += 2;
                    while !self.rest().starts_with(b"*/") {
                        match self.peek() {
                            None => {
                                return Err(StepError::new(
                                    from,
                                    "a comment does not end",
                                    "close it with */",
                                ));
                            }
                            Some(b'\n') => self.line += 1,
                            _ => {}
                        }
                        self.at += 1;
                    }
                    self.at += 1;
                }
                _ => return Ok(()),
            }
            self.at += 1;
        }
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The text from a place up to here.
    fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), StepError> {
        self.blank()?;
        if self.peek() != Some(byte) {
            return Err(self.unexpected(&format!("'{}'", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    /// A keyword in capitals; user-defined ones keep their `!`.
    fn keyword(&mut self) -> Result<String, StepError> {
        self.blank()?;
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'!')) {
            self.at += 1;
        }
        if start == self.at {
            return Err(self.unexpected("a keyword"));
        }
        Ok(String::from_utf8_lossy(self.since(start)).to_ascii_uppercase())
    }

    fn reference(&mut self) -> Result<u64, StepError> {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(self.since(start)).unwrap_or_default();
        digits.parse().map_err(|_| self.unexpected("an instance number after '#'"))
    }

    fn record(&mut self, depth: usize) -> Result<Record, StepError> {
        let keyword = self.keyword()?;
        self.blank()?;
        if self.peek() != Some(b'(') {
            return Err(self.unexpected("'('"));
        }
        Ok(Record { keyword, values: self.list(depth)? })
    }

    fn complex(&mut self) -> Result<Vec<Record>, StepError> {
        self.at += 1;
        let mut records = Vec::new();
        loop {
            self.blank()?;
            if self.peek() == Some(b')') {
                self.at += 1;
                return Ok(records);
            }
            records.push(self.record(0)?);
        }
    }

    /// Parameters in parentheses; the scanner is at the opening one.
    fn list(&mut self, depth: usize) -> Result<Vec<Value>, StepError> {
        if depth > MAX_NESTING {
            return Err(self.error(format!("lists are nested more than {MAX_NESTING} deep"), REWRITE));
        }
        self.at += 1;
        let mut values = Vec::new();
        self.blank()?;
        if self.peek() == Some(b')') {
            self.at += 1;
            return Ok(values);
        }
        loop {
            values.push(self.value(depth)?);
            self.blank()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(values);
                }
                _ => return Err(self.unexpected("',' or ')'")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, StepError> {
        self.blank()?;
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Ok(Value::Unset)
            }
            Some(b'*') => {
                self.at += 1;
                Ok(Value::Derived)
            }
            Some(b'#') => Ok(Value::Reference(self.reference()?)),
            Some(b'\'') => Ok(Value::Text(self.text()?)),
            Some(b'"') => {
                self.binary()?;
                Ok(Value::Unset)
            }
            Some(b'(') => Ok(Value::List(self.list(depth + 1)?)),
            Some(b'.') if !self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                self.at += 1;
                let name = self.keyword()?;
                self.expect(b'.')?;
                Ok(Value::Enumeration(name))
            }
            Some(b) if b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.') => self.number(),
            Some(b) if b.is_ascii_alphabetic() || b == b'!' => {
                let record = self.record(depth + 1)?;
                Ok(Value::Typed(record.keyword, record.values))
            }
            _ => Err(self.unexpected("a parameter")),
        }
    }

    fn number(&mut self) -> Result<Value, StepError> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'E' | b'e'))
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.since(start)).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(self.error(format!("'{text}' is not a finite number"), "correct the number")),
        }
    }

    fn binary(&mut self) -> Result<(), StepError> {
        self.at += 1;
        while self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
            self.at += 1;
        }
        self.expect(b'"')
    }

    /// A string with its directives decoded.
    fn text(&mut self) -> Result<String, StepError> {
        let from = self.line;
        self.at += 1;
        let mut raw = Vec::new();
        loop {
            match self.peek() {
                None => {
                    return Err(StepError::new(from, "a string does not end", "close it with an apostrophe"));
                }
                Some(b'\'') if self.bytes.get(self.at + 1) == Some(&b'\'') => {
                    raw.push(b'\'');
                    self.at += 1;
                }
                Some(b'\'') if self.ends_text() => {
                    self.at += 1;
                    return Ok(decode(&raw));
                }
                // A string may be broken over lines; the break is no part of it.
                Some(b'\n') => self.line += 1,
                Some(b'\r') => {}
                Some(byte) => raw.push(byte),
            }
            self.at += 1;
        }
    }

    /// Returns `true` if an apostrophe ends a string: a separator follows. Some programs write a single apostrophe
    /// inside a string.
    fn ends_text(&self) -> bool {
        let rest = self.rest().iter().skip(1);
        let next = rest.copied().find(|byte| !byte.is_ascii_whitespace());
        next.is_none_or(|byte| matches!(byte, b',' | b')' | b'/' | b';'))
    }

    fn skip_section(&mut self) -> Result<(), StepError> {
        loop {
            self.blank()?;
            match self.peek() {
                None => return Err(self.unexpected("ENDSEC")),
                Some(b'\'') => {
                    self.text()?;
                }
                Some(b) if b.is_ascii_alphabetic() => {
                    if self.keyword()? == "ENDSEC" {
                        return self.expect(b';');
                    }
                }
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ISO-10303-21;HEADER;FILE_SCHEMA(('AP'));ENDSEC;DATA;";
    const TAIL: &str = "ENDSEC;END-ISO-10303-21;";

    fn read(data: &str) -> Result<Exchange, StepError> {
        parse(format!("{HEAD}\n{data}\n{TAIL}").as_bytes())
    }

    #[test]
    fn values_of_every_kind() {
        let found =
            read("#1=A(1,-2.5E-3,.T.,'it''s \\X2\\00FC\\X0\\',#2,(#3,$),*,M(4.));/* x\n */#9=(B(1)C());")
                .unwrap();
        assert_eq!(found.schema, "AP");
        let one = &found.instances[&1];
        let expected = vec![
            Value::Number(1.0),
            Value::Number(-2.5e-3),
            Value::Enumeration("T".into()),
            Value::Text("it's ü".into()),
            Value::Reference(2),
            Value::List(vec![Value::Reference(3), Value::Unset]),
            Value::Derived,
            Value::Typed("M".into(), vec![Value::Number(4.0)]),
        ];
        assert_eq!(one.records, vec![Record { keyword: "A".into(), values: expected }]);
        assert_eq!(found.instances[&9].line, 3);
        assert_eq!(found.instances[&9].records.len(), 2);
    }

    #[test]
    fn a_single_apostrophe_inside_a_string_is_part_of_it() {
        let found = read("#1=A('it's, x','' ,'a''b');").unwrap();
        let expected = ["it's, x", "", "a'b"].map(|text| Value::Text(text.into())).to_vec();
        assert_eq!(found.instances[&1].records[0].values, expected);
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        for (data, line) in
            [("#1=A(1;", 2), ("\n#1=A(1e999);", 3), ("#1=A();\n\n#1=B();", 4), ("\n#1=A('x", 3), ("/*", 2)]
        {
            let error = read(data).unwrap_err();
            assert_eq!(error.line, line, "{data}: {error}");
            assert!(!error.remedy.is_empty());
        }
        let deep = format!("#1=A({}{});", "(".repeat(100_000), ")".repeat(100_000));
        assert!(read(&deep).unwrap_err().reason.contains("nested"));
        assert!(parse(b"").is_err() && parse(b"ISO-10303-21;").is_err());
    }

    /// Neither cutting a file off nor exchanging a byte may panic or loop.
    #[test]
    fn no_damage_panics() {
        let text = format!(
            "{HEAD}#1=A(1,-2.5E-3,.T.,'it''s \\X2\\00FC\\X0\\',#2,(#3,$),*,M(4.));#9=(B(1)C());{TAIL}"
        );
        for end in 0..text.len() {
            let _ = parse(&text.as_bytes()[..end]);
        }
        let mut random = noli_testing::Random::new(7);
        for _ in 0..20_000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.index(3) {
                let at = random.index(bytes.len());
                bytes[at] = random.bits() as u8;
            }
            let _ = parse(&bytes);
        }
    }
}
