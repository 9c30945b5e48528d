//! The subset of CBOR (RFC 8949) that certificates use.

/// Bytes of CBOR items, written one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
}

impl Encoder {
    /// Initial byte and length or value, in the shortest form.
    fn head(&mut self, major: u8, value: u64) {
        let major = major << 5;
        match value {
            0..24 => self.bytes.push(major | value as u8),
            24..0x100 => self.bytes.extend([major | 24, value as u8]),
            0x100..0x1_0000 => {
                self.bytes.push(major | 25);
                self.bytes.extend((value as u16).to_be_bytes());
            }
            0x1_0000..0x1_0000_0000 => {
                self.bytes.push(major | 26);
                self.bytes.extend((value as u32).to_be_bytes());
            }
            _ => {
                self.bytes.push(major | 27);
                self.bytes.extend(value.to_be_bytes());
            }
        }
    }

    pub(crate) fn int(&mut self, value: i64) {
        match u64::try_from(value) {
            Ok(value) => self.head(0, value),
            Err(_) => self.head(1, !(value as u64)),
        }
    }

    pub(crate) fn index(&mut self, value: usize) {
        self.head(0, value as u64);
    }

    /// A real number: an integer where it is one, else the shorter of `f32` and `f64` that has its value.
    pub(crate) fn number(&mut self, value: f64) {
        if value == value.trunc() && value.abs() < 2f64.powi(31) {
            self.int(value as i64);
        } else if f64::from(value as f32) == value {
            self.bytes.push(0xfa);
            self.bytes.extend((value as f32).to_be_bytes());
        } else {
            self.bytes.push(0xfb);
            self.bytes.extend(value.to_be_bytes());
        }
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        self.array(values.len());
        values.iter().for_each(|&value| self.number(value));
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) {
        self.head(2, bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.head(3, text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    pub(crate) fn array(&mut self, items: usize) {
        self.head(4, items as u64);
    }

    pub(crate) fn map(&mut self, entries: usize) {
        self.head(5, entries as u64);
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.bytes.push(0xf4 | u8::from(value));
    }

    pub(crate) fn null(&mut self) {
        self.bytes.push(0xf6);
    }
}

/// An array whose length is known only at its end: the preorder of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    count: usize,
    items: Encoder,
}

impl Tokens {
    pub(crate) fn int(&mut self, value: i64) {
        self.count += 1;
        self.items.int(value);
    }

    pub(crate) fn ints(&mut self, values: &[i64]) {
        self.count += 1;
        self.items.array(values.len());
        values.iter().for_each(|&value| self.items.int(value));
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn byte_count(&self) -> usize {
        self.items.bytes.len()
    }

    /// Another array as one token.
    pub(crate) fn nested(&mut self, tokens: &Self) {
        self.count += 1;
        tokens.write(&mut self.items);
    }

    /// An item written by hand as one token.
    pub(crate) fn item(&mut self, write: impl FnOnce(&mut Encoder)) {
        self.count += 1;
        write(&mut self.items);
    }

    pub(crate) fn write(&self, out: &mut Encoder) {
        out.array(self.count);
        out.bytes.extend(&self.items.bytes);
    }
}
