//! Imports, paths and items of one Rust file, without comments, literals and test code.

use std::collections::BTreeSet;

/// A path as written, by its names.
pub(super) type Path = Vec<String>;

/// One name that a `use` brings into a file; `*` for a glob.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) name: String,
    pub(super) path: Path,
}

/// The parts of a file that name other files.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) imports: Vec<Import>,
    /// Paths of at least two names in the code.
    pub(super) paths: Vec<Path>,
    /// Names defined at the top of the file.
    pub(super) items: BTreeSet<String>,
    /// Child modules that only tests have.
    pub(super) test_modules: BTreeSet<String>,
}

impl Source {
    pub(super) fn parse(text: &str) -> Self {
        let mut parser =
            Parser { tokens: tokens(text), at: 0, depth: 0, inline: Vec::new(), source: Self::default() };
        while parser.at < parser.tokens.len() {
            parser.step();
        }
        parser.source
    }
}

struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
    depth: usize,
    /// Depths of the inline modules around the position.
    inline: Vec<usize>,
    source: Source,
}

impl<'t> Parser<'t> {
    fn token(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn step(&mut self) {
        let before = if self.at == 0 { "" } else { self.tokens[self.at - 1] };
        match self.token(0) {
            "#" if self.token(1) == "[" => self.attribute(),
            "use" => {
                self.at += 1;
                self.import(&mut Vec::new());
            }
            "pub" if self.token(1) == "(" => {
                self.at += self.tokens[self.at..].iter().position(|t| *t == ")").unwrap_or(1)
            }
            "mod" if self.token(2) == "{" => {
                self.define(1);
                self.inline.push(self.depth);
                (self.at, self.depth) = (self.at + 3, self.depth + 1);
            }
            "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" => {
                self.define(1);
                self.at += 1;
            }
            "macro_rules" => {
                self.define(2);
                self.at += 1;
            }
            "{" => (self.at, self.depth) = (self.at + 1, self.depth + 1),
            "}" => {
                (self.at, self.depth) = (self.at + 1, self.depth.saturating_sub(1));
                self.inline.pop_if(|depth| *depth == self.depth);
            }
            name if is_name(name) && self.token(1) == "::" && !matches!(before, "::" | "$" | ".") => {
                self.path()
            }
            _ => self.at += 1,
        }
    }

    /// Records the name at a distance, if it is defined at the top of the file.
    fn define(&mut self, ahead: usize) {
        if self.depth == 0 {
            self.source.items.insert(self.token(ahead).to_owned());
        }
    }

    /// Skips an attribute, and with `cfg(test)` the item that follows.
    fn attribute(&mut self) {
        let first = self.at;
        self.at += 1;
        self.skip_group();
        let attribute = &self.tokens[first..self.at];
        if !(attribute.get(2) == Some(&"cfg") && attribute.contains(&"test") && !attribute.contains(&"not")) {
            return;
        }
        while self.token(0) == "#" {
            self.at += 1;
            self.skip_group();
        }
        loop {
            match self.token(0) {
                "" => return,
                "mod" => {
                    self.source.test_modules.insert(self.token(1).to_owned());
                    self.at += 1;
                }
                ";" => return self.at += 1,
                "{" => return self.skip_group(),
                "(" | "[" => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    /// Skips a group in brackets of any kind.
    fn skip_group(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.token(0) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth <= 0 {
                return;
            }
        }
    }

    /// One branch of a `use`, below the names in `path`.
    fn import(&mut self, path: &mut Path) {
        let length = path.len();
        let mut name = None;
        loop {
            match self.token(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.token(0), "}" | "") {
                        self.import(path);
                        if self.token(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    path.truncate(length);
                    return;
                }
                "::" => self.at += 1,
                "as" => {
                    name = Some(self.token(1).to_owned());
                    self.at += 2;
                }
                "self" if !path.is_empty() => self.at += 1,
                "*" => {
                    name = Some("*".to_owned());
                    self.at += 1;
                }
                part if is_name(part) => {
                    path.push(part.to_owned());
                    self.at += 1;
                }
                _ => break,
            }
        }
        if let Some(name) = name.or_else(|| path.last().cloned()) {
            let path = self.of_file(path.clone());
            self.source.imports.push(Import { name, path });
        }
        path.truncate(length);
    }

    fn path(&mut self) {
        let mut path = vec![self.token(0).to_owned()];
        self.at += 1;
        while self.token(0) == "::" && is_name(self.token(1)) {
            path.push(self.token(1).to_owned());
            self.at += 2;
        }
        let path = self.of_file(path);
        self.source.paths.push(path);
    }

    /// The same path as seen from the file rather than from an inline module.
    fn of_file(&self, mut path: Path) -> Path {
        let up = path.iter().take(self.inline.len()).take_while(|name| *name == "super").count();
        path.drain(..up);
        path
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names, `::` and single characters of a text, without comments, literals and lifetimes.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let is_left_out = first.is_whitespace()
            || first == '"'
            || first == '\''
            || rest.starts_with("//")
            || rest.starts_with("/*")
            || raw_string(rest).is_some();
        if !is_left_out {
            found.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

fn token_length(rest: &str, first: char) -> usize {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("//") {
        return until("\n");
    }
    if rest.starts_with("/*") {
        return until("*/");
    }
    if let Some(length) = raw_string(rest) {
        return length;
    }
    match first {
        '"' => 1 + quoted(&rest[1..], '"'),
        '\'' => {
            let second = rest[1..].chars().next().unwrap_or_default();
            let is_character = second == '\\' || rest[1 + second.len_utf8()..].starts_with('\'');
            if is_character { 1 + quoted(&rest[1..], '\'') } else { 1 + name_length(&rest[1..]) }
        }
        ':' if rest.starts_with("::") => 2,
        c if c.is_ascii_alphanumeric() || c == '_' => name_length(rest),
        c => c.len_utf8(),
    }
}

fn name_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
}

/// The length of a raw string at the start of a text.
fn raw_string(rest: &str) -> Option<usize> {
    let after = ["br", "cr", "r"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let marks = after.len() - after.trim_start_matches('#').len();
    let body = after[marks..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    let length = body.find(&end)? + end.len();
    Some(rest.len() - body.len() + length)
}

/// The length up to and with a closing mark that no backslash precedes.
fn quoted(rest: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == mark => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
