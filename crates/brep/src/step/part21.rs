//! The clear-text encoding of ISO 10303-21: instances and their parameters, without meaning.

use super::StepError;
use super::scanner::{REWRITE, Scanner};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

pub(super) use super::scanner::{Record, Value};

/// Bytes of an instance in the table, which has room for twice as many, and in the order of the file.
const INSTANCE: usize = 2 * (size_of::<Instance>() + 2 * size_of::<u64>());

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
    /// The number of the instance of a record; made when it is needed.
    owners: OnceCell<HashMap<*const Record, u64>>,
    /// Instances looked up so far: the work of a reader.
    lookups: Cell<u64>,
}

impl Exchange {
    /// An instance.
    pub(super) fn get(&self, id: u64) -> Option<&Instance> {
        self.lookups.set(self.lookups.get().saturating_add(1));
        self.instances.get(&id)
    }

    /// The instance that a record is part of.
    pub(super) fn owner(&self, record: &Record) -> Option<&Instance> {
        let owners = self.owners.get_or_init(|| {
            let own = |(&id, instance): (&u64, &Instance)| {
                instance.records.iter().map(|record| (std::ptr::from_ref(record), id)).collect::<Vec<_>>()
            };
            self.instances.iter().flat_map(own).collect()
        });
        self.get(*owners.get(&std::ptr::from_ref(record))?)
    }

    /// Number of instances that were looked up.
    #[cfg(test)]
    pub(super) fn lookups(&self) -> u64 {
        self.lookups.get()
    }

    /// The line of the first instance that refers to a number; 0 if none does.
    pub(super) fn first_use(&self, id: u64) -> usize {
        let uses = self.uses.get_or_init(|| {
            let mut uses = HashMap::new();
            for instance in self.order.iter().filter_map(|id| self.instances.get(id)) {
                let mut open: Vec<&Value> =
                    instance.records.iter().flat_map(|record| record.values.iter()).collect();
                while let Some(value) = open.pop() {
                    match value {
                        Value::Reference(other) => {
                            uses.entry(*other).or_insert(instance.line);
                        }
                        Value::List(values) => open.extend(values.iter()),
                        Value::Typed(record) => open.extend(record.values.iter()),
                        _ => {}
                    }
                }
            }
            uses
        });
        uses.get(&id).copied().unwrap_or(0)
    }
}

/// Reads the text of a file into no more than so many bytes of memory.
pub(super) fn parse(bytes: &[u8], memory: usize) -> Result<Exchange, StepError> {
    // Editors that save text with a byte order mark do so with STEP files too.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut scanner = Scanner::new(bytes, memory);
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
            exchange.schema = name.to_string();
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
        let line = scanner.line();
        let number = scanner.reference()?;
        scanner.expect(b'=')?;
        scanner.blank()?;
        let records =
            if scanner.peek() == Some(b'(') { scanner.complex()? } else { vec![scanner.record(0)?] };
        scanner.expect(b';')?;
        scanner.take(INSTANCE.saturating_add(records.len().saturating_mul(size_of::<Record>())))?;
        if exchange.instances.insert(number, Instance { line, records }).is_some() {
            return Err(StepError::new(line, format!("#{number} is defined twice"), REWRITE));
        }
        exchange.order.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ISO-10303-21;HEADER;FILE_SCHEMA(('AP'));ENDSEC;DATA;";
    const TAIL: &str = "ENDSEC;END-ISO-10303-21;";

    fn read(data: &str) -> Result<Exchange, StepError> {
        parse(format!("{HEAD}\n{data}\n{TAIL}").as_bytes(), usize::MAX)
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
            Value::List(Box::new([Value::Reference(3), Value::Unset])),
            Value::Derived,
            Value::Typed(Box::new(Record { keyword: "M".into(), values: Box::new([Value::Number(4.0)]) })),
        ];
        assert_eq!(one.records, vec![Record { keyword: "A".into(), values: expected.into() }]);
        assert_eq!(found.instances[&9].line, 3);
        assert_eq!(found.instances[&9].records.len(), 2);
    }

    #[test]
    fn a_single_apostrophe_inside_a_string_is_part_of_it() {
        let found = read("#1=A('it's, x','' ,'a''b');").unwrap();
        let expected = ["it's, x", "", "a'b"].map(|text| Value::Text(text.into())).to_vec();
        assert_eq!(found.instances[&1].records[0].values[..], expected);
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
        assert!(parse(b"", usize::MAX).is_err() && parse(b"ISO-10303-21;", usize::MAX).is_err());
    }

    /// Lists of four bytes, of which each is a small allocation.
    #[test]
    fn memory_grows_with_the_text_and_is_limited() {
        assert_eq!(size_of::<Value>(), 24);
        let text = |count: usize| format!("{HEAD}#1=A({}1);{TAIL}", "(1),".repeat(count));
        let needed = |count: usize| {
            let text = text(count);
            let fits = |memory: usize| parse(text.as_bytes(), memory).is_ok();
            let (mut low, mut high) = (0, 1 << 30);
            while high - low > 1 {
                let middle = (low + high) / 2;
                if fits(middle) { high = middle } else { low = middle }
            }
            high
        };
        let [one, two, four] = [1000, 2000, 4000].map(needed);
        assert!(four - two == 2 * (two - one), "{one} {two} {four}");
        assert!(four < 20 * text(4000).len(), "{four}");
        let error = parse(text(1000).as_bytes(), one - 1).unwrap_err();
        assert!(error.reason.contains("more memory than is allowed") && error.line == 1, "{error}");
    }

    /// Neither cutting a file off nor exchanging a byte may panic or loop.
    #[test]
    fn no_damage_panics() {
        let text = format!(
            "{HEAD}#1=A(1,-2.5E-3,.T.,'it''s \\X2\\00FC\\X0\\',#2,(#3,$),*,M(4.));#9=(B(1)C());{TAIL}"
        );
        for end in 0..text.len() {
            let _ = parse(&text.as_bytes()[..end], usize::MAX);
        }
        let mut random = noli_testing::Random::new(7);
        for _ in 0..20_000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.index(3) {
                let at = random.index(bytes.len());
                bytes[at] = random.bits() as u8;
            }
            let _ = parse(&bytes, usize::MAX);
        }
    }
}
