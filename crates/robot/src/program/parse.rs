//! Text to programs.

use super::code::*;
use super::token::{Placed, Token, tokens};
use crate::Place;
use std::collections::HashMap;
use std::fmt;

/// Why a text is no program, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramError {
    /// Where.
    pub place: Place,
    /// Why.
    pub fault: ProgramFault,
}

impl ProgramError {
    pub(super) fn new(place: Place, fault: ProgramFault) -> Self {
        Self { place, fault }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for ProgramError {}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramFault {
    /// A character no program has.
    #[error("the character `{}` has no meaning here; remove it", .0.escape_debug())]
    Character(char),
    /// Something that is not a number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// A text without its end.
    #[error("a quotation mark is never closed; close it on its line")]
    OpenText,
    /// A statement nobody knows.
    #[error("`{word}` is no statement{hint}")]
    UnknownStatement {
        /// The word.
        word: String,
        /// The nearest statement, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A statement of VAL-II that is not simulated.
    #[error("`{word}` is not simulated: {why}")]
    NotSimulated {
        /// The word.
        word: String,
        /// Why not.
        why: &'static str,
    },
    /// Something else was expected.
    #[error("{found} stands where {wanted} belongs")]
    Expected {
        /// What is wanted.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// A function nobody knows.
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    /// A function with another number of arguments.
    #[error("`{name}` takes {wanted} arguments, not {found}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        wanted: &'static str,
        /// How many there are.
        found: usize,
    },
    /// An `END` without a beginning.
    #[error("`{0}` closes nothing")]
    NothingOpen(String),
    /// A block without its end.
    #[error("the `{word}` of {place} is never closed; add `{end}`")]
    NeverClosed {
        /// What opened it.
        word: &'static str,
        /// Where.
        place: Place,
        /// What would close it.
        end: &'static str,
    },
    /// A jump to nowhere.
    #[error("there is no label {0} in this program")]
    NoLabel(u32),
    /// A label twice.
    #[error("label {0} stands at two lines of this program")]
    LabelTwice(u32),
    /// A program twice.
    #[error("there are two programs `{0}`")]
    ProgramTwice(String),
    /// A call of nothing.
    #[error("there is no program `{0}`{1}")]
    NoProgram(String, String),
    /// More than is read.
    #[error("the text is too large: {0}")]
    TooLarge(&'static str),
}

/// Something odd that was taken all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Where.
    pub place: Place,
    /// What, and how it was taken.
    pub text: String,
}

/// All programs of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Programs {
    /// In the order of the text; the first is the one to run.
    pub list: Vec<Program>,
    /// What was odd.
    pub remarks: Vec<Remark>,
}

impl Programs {
    /// A program by its name, in any case.
    pub fn get(&self, name: &str) -> Option<&Program> {
        self.list.iter().find(|program| program.name.eq_ignore_ascii_case(name))
    }
}

/// Longest text, and deepest nesting of parentheses and blocks.
const MAX_TEXT: usize = 16 << 20;
const MAX_DEPTH: usize = 100;

/// Reads programs: `.PROGRAM name() … .END`, `main program name …`, `EDIT name … E`, or bare statements,
/// which are a program `MAIN`.
///
/// ```
/// let programs = noli_robot::program::read_programs("main program pick\nMOVE safe\nAPPRO 50 part1\n")?;
/// assert_eq!(programs.list[0].name, "PICK");
/// assert!(programs.remarks[0].text.contains("distance first"));
/// let error = noli_robot::program::read_programs("MOVE safe\nMOEV part1\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 1: `MOEV` is no statement; did you mean `MOVE`?");
/// # Ok::<(), noli_robot::program::ProgramError>(())
/// ```
pub fn read_programs(text: &str) -> Result<Programs, ProgramError> {
    if text.len() > MAX_TEXT {
        let place = Place { line: 1, column: 1 };
        return Err(ProgramError::new(place, ProgramFault::TooLarge("16 MiB at most")));
    }
    let mut programs = Programs::default();
    let mut open: Option<Builder> = None;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in text.lines().enumerate() {
        let words = tokens(line, number as u32 + 1)?;
        let Some(first) = words.first() else { continue };
        let place = first.place;
        match heading(&words)? {
            Some(Heading::Begin(name)) => {
                if let Some(builder) = open.take() {
                    programs.list.push(builder.finish()?);
                }
                if programs.get(&name).is_some() {
                    return Err(ProgramError::new(place, ProgramFault::ProgramTwice(name)));
                }
                open = Some(Builder::new(name, place));
            }
            Some(Heading::End(word)) => match open.take() {
                Some(builder) => programs.list.push(builder.finish()?),
                None => return Err(ProgramError::new(place, ProgramFault::NothingOpen(word.to_owned()))),
            },
            None => {
                if open.is_none() && programs.get("MAIN").is_some() {
                    return Err(ProgramError::new(place, ProgramFault::ProgramTwice("MAIN".to_owned())));
                }
                let builder = open.get_or_insert_with(|| Builder::new("MAIN".to_owned(), place));
                Line::new(&words, builder, &mut programs.remarks).statement()?;
            }
        }
    }
    if let Some(builder) = open {
        programs.list.push(builder.finish()?);
    }
    check_calls(&programs)?;
    Ok(programs)
}

enum Heading {
    Begin(String),
    End(&'static str),
}

/// Whether a line begins or ends a program.
fn heading(words: &[Placed]) -> Result<Option<Heading>, ProgramError> {
    let word = |k: usize| match words.get(k).map(|word| &word.token) {
        Some(Token::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let dotted = words[0].token == Token::Sign(".");
    let name_at = match (dotted, word(0), word(1)) {
        (true, _, Some("PROGRAM")) => 2,
        (true, _, Some("END")) => return Ok(Some(Heading::End(".END"))),
        (false, Some("MAIN"), Some("PROGRAM")) => 2,
        (false, Some("PROGRAM" | "EDIT"), Some(_)) => 1,
        (false, Some("E"), None) if words.len() == 1 => return Ok(Some(Heading::End("E"))),
        _ => return Ok(None),
    };
    let Some(name) = word(name_at) else {
        let place = words[words.len().min(name_at + 1) - 1].place;
        let (wanted, found) = ("a program's name".to_owned(), "something else".to_owned());
        return Err(ProgramError::new(place, ProgramFault::Expected { wanted, found }));
    };
    let rest = &words[name_at + 1..];
    let empty = [Token::Sign("("), Token::Sign(")")];
    if !rest.is_empty() && !rest.iter().map(|word| &word.token).eq(empty.iter()) {
        let why = "VAL-II programs have no arguments; use variables, which all programs share";
        let fault = ProgramFault::NotSimulated { word: "arguments".into(), why };
        return Err(ProgramError::new(rest[0].place, fault));
    }
    Ok(Some(Heading::Begin(name.to_owned())))
}

fn check_calls(programs: &Programs) -> Result<(), ProgramError> {
    for line in programs.list.iter().flat_map(|program| &program.lines) {
        if let Op::Call(name) | Op::React { program: name, .. } = &line.op
            && programs.get(name).is_none()
        {
            let hint =
                crate::error::suggestion(name, programs.list.iter().map(|program| program.name.as_str()));
            return Err(ProgramError::new(line.place, ProgramFault::NoProgram(name.clone(), hint)));
        }
    }
    Ok(())
}

/// A block that waits for its end. Numbers are those of lines whose jump is still to be filled in.
enum Block {
    If { test: usize, done: Option<usize> },
    While { test: usize },
    Do { start: usize },
    For { slot: usize, variable: Name, test: usize },
    Case { slot: usize, test: Option<usize>, done: Vec<usize>, any: bool },
}

impl Block {
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::If { .. } => ("IF", "END"),
            Self::While { .. } => ("WHILE", "END"),
            Self::Do { .. } => ("DO", "UNTIL"),
            Self::For { .. } => ("FOR", "END"),
            Self::Case { .. } => ("CASE", "END"),
        }
    }
}

struct Builder {
    program: Program,
    blocks: Vec<(Block, Place)>,
    labels: HashMap<u32, usize>,
    /// Lines that jump to a label.
    jumps: Vec<(usize, u32, Place)>,
}

/// A jump that is still to be filled in.
const OPEN: usize = usize::MAX;

impl Builder {
    fn new(name: String, place: Place) -> Self {
        let program = Program { name, place, lines: Vec::new(), slots: 0 };
        Self { program, blocks: Vec::new(), labels: HashMap::new(), jumps: Vec::new() }
    }

    fn push(&mut self, place: Place, op: Op) -> usize {
        self.program.lines.push(ProgramLine { place, op });
        self.program.lines.len() - 1
    }

    fn here(&self) -> usize {
        self.program.lines.len()
    }

    fn fill(&mut self, line: usize, target: usize) {
        match &mut self.program.lines[line].op {
            Op::Jump(to)
            | Op::JumpIf { to, .. }
            | Op::ForTest { exit: to, .. }
            | Op::CaseTest { otherwise: to, .. }
            | Op::Grasp { otherwise: Some(to), .. } => *to = target,
            _ => {}
        }
    }

    fn finish(mut self) -> Result<Program, ProgramError> {
        if let Some((block, place)) = self.blocks.pop() {
            let (word, end) = block.words();
            let last = self.program.lines.last().map_or(place, |line| line.place);
            return Err(ProgramError::new(last, ProgramFault::NeverClosed { word, place, end }));
        }
        for (line, label, place) in std::mem::take(&mut self.jumps) {
            let Some(&target) = self.labels.get(&label) else {
                return Err(ProgramError::new(place, ProgramFault::NoLabel(label)));
            };
            self.fill(line, target);
        }
        Ok(self.program)
    }
}

/// Statements there are, for suggestions.
const STATEMENTS: [&str; 58] = [
    "MOVE", "MOVES", "MOVET", "APPRO", "APPROS", "DEPART", "DEPARTS", "DRIVE", "DELAY", "READY", "ALIGN",
    "BREAK", "SPEED", "COARSE", "FINE", "OPEN", "OPENI", "CLOSE", "CLOSEI", "GRASP", "LEFTY", "RIGHTY",
    "ABOVE", "BELOW", "FLIP", "NOFLIP", "TOOL", "BASE", "SET", "HERE", "SIGNAL", "RESET", "WAIT", "TIMER",
    "GOTO", "IF", "ELSE", "END", "WHILE", "DO", "UNTIL", "FOR", "CASE", "VALUE", "ANY", "CALL", "RETURN",
    "STOP", "HALT", "PAUSE", "TYPE", "REACT", "REACTI", "IGNORE", "ENABLE", "DISABLE", "NULL", "NONULL",
];

/// Statements that say how a real controller works inside; a simulated one does not change.
const WITHOUT_EFFECT: [&str; 13] = [
    "ENABLE",
    "DISABLE",
    "NULL",
    "NONULL",
    "INTON",
    "INTOFF",
    "ATTACH",
    "DETACH",
    "PARAMETER",
    "PAYLOAD",
    "LOCK",
    "ELSPON",
    "ELSPOFF",
];

const REFUSED: [(&str, &str); 14] = [
    ("ALTER", "real-time path correction has no meaning without its sensor"),
    ("ALTON", "real-time path correction has no meaning without its sensor"),
    ("ALTOUT", "real-time path correction has no meaning without its sensor"),
    ("NOALTER", "real-time path correction has no meaning without its sensor"),
    ("PCEXECUTE", "there is one program at a time"),
    ("PCEND", "there is one program at a time"),
    ("PROMPT", "there is no operator to answer"),
    ("ADC", "there are no analogue inputs"),
    ("DAC", "there are no analogue outputs"),
    ("IOGET", "there is no bus"),
    ("IOPUT", "there is no bus"),
    ("RUNSIG", "the run itself is no signal"),
    ("REACTE", "errors end the run"),
    ("DECOMPOSE", "read coordinates with DX, DY and DZ"),
];

/// A line being read.
struct Line<'a> {
    words: &'a [Placed],
    at: usize,
    depth: usize,
    builder: &'a mut Builder,
    remarks: &'a mut Vec<Remark>,
}

type Parsed<T> = Result<T, ProgramError>;

impl<'a> Line<'a> {
    fn new(words: &'a [Placed], builder: &'a mut Builder, remarks: &'a mut Vec<Remark>) -> Self {
        Self { words, at: 0, depth: 0, builder, remarks }
    }

    fn peek(&self) -> Option<&'a Token> {
        self.words.get(self.at).map(|word| &word.token)
    }

    fn place(&self) -> Place {
        // Behind the end, where something is missing.
        let last = self.words[self.words.len() - 1].place;
        self.words.get(self.at).map_or(Place { column: last.column + 1, ..last }, |word| word.place)
    }

    fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn expected<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.peek() {
            None => "the end of the line".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Number(number)) => format!("the number {number}"),
            Some(Token::Text(_)) => "a text".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        Err(ProgramError::new(self.place(), ProgramFault::Expected { wanted: wanted.to_owned(), found }))
    }

    fn sign(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(there);
        there
    }

    fn need_sign(&mut self, sign: &'static str) -> Parsed<()> {
        if self.sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn word(&mut self, word: &str) -> bool {
        let there = self.peek_word() == Some(word);
        self.at += usize::from(there);
        there
    }

    fn need_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn any_word(&mut self, wanted: &str) -> Parsed<&'a str> {
        match self.peek_word() {
            Some(word) => {
                self.at += 1;
                Ok(word)
            }
            None => self.expected(wanted),
        }
    }

    fn done(&self) -> bool {
        self.at >= self.words.len()
    }

    fn remark(&mut self, place: Place, text: impl Into<String>) {
        // A thousand are more than anybody reads.
        if self.remarks.len() < 1000 {
            self.remarks.push(Remark { place, text: text.into() });
        }
    }

    fn statement(mut self) -> Parsed<()> {
        if let Some(Token::Number(number)) = self.peek() {
            let label = self.label(*number)?;
            if self.builder.labels.insert(label, self.builder.here()).is_some() {
                return Err(ProgramError::new(self.words[0].place, ProgramFault::LabelTwice(label)));
            }
        }
        if self.done() {
            let place = self.words[0].place;
            self.builder.push(place, Op::Nothing);
            return Ok(());
        }
        let place = self.place();
        let second = self.words.get(self.at + 1).map(|word| &word.token);
        let next_is = |sign: &str| matches!(second, Some(Token::Sign(found)) if *found == sign);
        let assigns = self.peek_word().is_some() && (next_is("=") || next_is("["));
        if assigns {
            let target = self.name()?;
            self.need_sign("=")?;
            let value = self.expression()?;
            self.builder.push(place, Op::Assign(target, value));
        } else {
            let word = self.any_word("a statement")?;
            self.keyword(word, place)?;
        }
        if self.done() { Ok(()) } else { self.expected("the end of the line") }
    }

    fn label(&mut self, number: f64) -> Parsed<u32> {
        if !(0.0..=1e6).contains(&number) || number.fract() != 0.0 {
            return self.expected("a label, a whole number,");
        }
        self.at += 1;
        Ok(number as u32)
    }

    fn keyword(&mut self, word: &str, place: Place) -> Parsed<()> {
        if self.flow(word, place)? {
            return Ok(());
        }
        if WITHOUT_EFFECT.contains(&word) {
            self.at = self.words.len();
            self.remark(place, format!("`{word}` changes nothing here"));
            self.builder.push(place, Op::Nothing);
            return Ok(());
        }
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == word) {
            let fault = ProgramFault::NotSimulated { word: word.to_owned(), why };
            return Err(ProgramError::new(place, fault));
        }
        let op = match word {
            "MOVE" => Op::Move { straight: false, to: self.location()? },
            "MOVES" => Op::Move { straight: true, to: self.location()? },
            "APPRO" => self.approach(false, place)?,
            "APPROS" => self.approach(true, place)?,
            "DEPART" => Op::Depart { straight: false, distance: self.expression()? },
            "DEPARTS" => Op::Depart { straight: true, distance: self.expression()? },
            "DRIVE" => {
                let [joint, change, speed] = self.listed()?;
                Op::Drive { joint, change, speed }
            }
            "DELAY" => Op::Delay(self.expression()?),
            "READY" => Op::Ready,
            "ALIGN" => Op::Align,
            "BREAK" => Op::Break,
            "SPEED" => {
                let value = self.expression()?;
                let unit =
                    if self.word("MMPS") { SpeedUnit::MillimetresPerSecond } else { SpeedUnit::Percent };
                Op::Speed { value, unit, always: self.word("ALWAYS") }
            }
            "COARSE" | "FINE" => {
                if !self.done() && self.peek_word() != Some("ALWAYS") {
                    self.expression()?;
                }
                Op::Precise { fine: word == "FINE", always: self.word("ALWAYS") }
            }
            "OPEN" | "OPENI" | "CLOSE" | "CLOSEI" => {
                let amount = if self.done() { None } else { Some(self.expression()?) };
                Op::Grip { open: word.starts_with('O'), now: word.ends_with('I'), amount }
            }
            "GRASP" => return self.grasp(place),
            "LEFTY" => Op::Arm(ArmWord::Lefty),
            "RIGHTY" => Op::Arm(ArmWord::Righty),
            "ABOVE" => Op::Arm(ArmWord::Above),
            "BELOW" => Op::Arm(ArmWord::Below),
            "FLIP" => Op::Arm(ArmWord::Flip),
            "NOFLIP" => Op::Arm(ArmWord::NoFlip),
            "TOOL" => Op::Tool(if self.done() { None } else { Some(self.location()?) }),
            "BASE" => Op::Base(if self.done() { None } else { Some(Box::new(self.listed()?)) }),
            "SET" | "POINT" => {
                let target = self.location_name()?;
                self.need_sign("=")?;
                let value = self.location()?;
                if target.word.starts_with('#') != value.is_precision() {
                    return self.expected("a location of the same kind: `#` names are joint values,");
                }
                Op::Set(target, value)
            }
            "HERE" => Op::Set(self.location_name()?, Location::Here),
            "SIGNAL" => {
                let mut all = vec![self.expression()?];
                while self.sign(",") {
                    all.push(self.expression()?);
                }
                Op::Signal(all)
            }
            "RESET" => Op::Reset,
            "WAIT" => Op::Wait(self.expression()?),
            "TIMER" => {
                // Without relations, or the `=` would be one.
                let number = self.deeper(|line| line.binary(3))?;
                self.need_sign("=")?;
                Op::Timer(number, self.expression()?)
            }
            "CALL" => {
                let name = self.any_word("a program's name")?.to_owned();
                if self.sign("(") {
                    self.need_sign(")")?;
                }
                Op::Call(name)
            }
            "RETURN" => Op::Return,
            "STOP" => Op::Stop,
            "HALT" => Op::Halt,
            "PAUSE" => Op::Pause,
            "TYPE" => Op::Type(self.type_items()?),
            "REACT" | "REACTI" => {
                let signal = self.expression()?;
                self.need_sign(",")?;
                let program = self.any_word("a program's name")?.to_owned();
                let priority = if self.sign(",") { Some(self.expression()?) } else { None };
                Op::React { signal, program, priority, now: word == "REACTI" }
            }
            "IGNORE" => Op::Ignore(self.expression()?),
            _ => {
                let hint = crate::error::suggestion(word, STATEMENTS.into_iter());
                let word = crate::text::excerpt(word);
                return Err(ProgramError::new(place, ProgramFault::UnknownStatement { word, hint }));
            }
        };
        self.builder.push(place, op);
        Ok(())
    }

    /// Location first with a comma, as VAL-II has it, or distance first.
    fn approach(&mut self, straight: bool, place: Place) -> Parsed<Op> {
        let distance_first = match self.peek() {
            Some(Token::Number(_)) => true,
            Some(Token::Sign(sign)) => *sign != "#",
            _ => false,
        };
        if !distance_first {
            let to = self.location()?;
            self.need_sign(",")?;
            let distance = self.expression()?;
            return Ok(Op::Approach { straight, to, distance });
        }
        let distance = self.expression()?;
        self.sign(",");
        let to = self.location()?;
        self.remark(place, "distance first: taken as the distance before the location");
        Ok(Op::Approach { straight, to, distance })
    }

    fn grasp(&mut self, place: Place) -> Parsed<()> {
        let least = self.expression()?;
        if !self.sign(",") {
            self.builder.push(place, Op::Grasp { least, otherwise: None });
            return Ok(());
        }
        let at = self.place();
        let Some(Token::Number(number)) = self.peek() else { return self.expected("a label") };
        let label = self.label(*number)?;
        let line = self.builder.push(place, Op::Grasp { least, otherwise: Some(OPEN) });
        self.builder.jumps.push((line, label, at));
        Ok(())
    }

    fn goto(&mut self, place: Place, condition: Option<Expression>) -> Parsed<()> {
        let at = self.place();
        let Some(Token::Number(number)) = self.peek() else { return self.expected("a label") };
        let label = self.label(*number)?;
        let op = match condition {
            None => Op::Jump(OPEN),
            Some(condition) => Op::JumpIf { condition, when: true, to: OPEN },
        };
        let line = self.builder.push(place, op);
        self.builder.jumps.push((line, label, at));
        Ok(())
    }

    fn open(&mut self, place: Place, block: Block) -> Parsed<()> {
        if self.builder.blocks.len() >= MAX_DEPTH {
            return Err(ProgramError::new(place, ProgramFault::TooLarge("blocks 100 deep at most")));
        }
        self.builder.blocks.push((block, place));
        Ok(())
    }

    fn slot(&mut self) -> usize {
        self.builder.program.slots += 1;
        self.builder.program.slots - 1
    }

    /// Statements that change where the program goes on; whether it was one.
    fn flow(&mut self, word: &str, place: Place) -> Parsed<bool> {
        match word {
            "GOTO" => self.goto(place, None)?,
            "IF" => {
                let condition = self.expression()?;
                if self.word("GOTO") {
                    self.goto(place, Some(condition))?;
                } else {
                    self.need_word("THEN")?;
                    let test = self.builder.push(place, Op::JumpIf { condition, when: false, to: OPEN });
                    self.open(place, Block::If { test, done: None })?;
                }
            }
            "ELSE" => {
                let done = self.builder.push(place, Op::Jump(OPEN));
                match self.builder.blocks.last_mut() {
                    Some((Block::If { test, done: open @ None }, _)) => {
                        *open = Some(done);
                        let test = *test;
                        self.builder.fill(test, done + 1);
                    }
                    _ => return self.nothing_open("ELSE", place),
                }
            }
            "WHILE" => {
                let condition = self.expression()?;
                self.need_word("DO")?;
                let test = self.builder.push(place, Op::JumpIf { condition, when: false, to: OPEN });
                self.open(place, Block::While { test })?;
            }
            "DO" => {
                let start = self.builder.here();
                self.open(place, Block::Do { start })?;
            }
            "UNTIL" => {
                let condition = self.expression()?;
                let Some((Block::Do { start }, _)) = self.builder.blocks.last() else {
                    return self.nothing_open("UNTIL", place);
                };
                let to = *start;
                self.builder.blocks.pop();
                self.builder.push(place, Op::JumpIf { condition, when: false, to });
            }
            "FOR" => {
                let variable = self.name()?;
                self.need_sign("=")?;
                let from = self.expression()?;
                self.need_word("TO")?;
                let to = self.expression()?;
                let step = if self.word("STEP") { self.expression()? } else { Expression::Number(1.0) };
                let slot = self.slot();
                let range = Box::new([from, to, step]);
                self.builder.push(place, Op::ForBegin { slot, variable: variable.clone(), range });
                let test =
                    self.builder.push(place, Op::ForTest { slot, variable: variable.clone(), exit: OPEN });
                self.open(place, Block::For { slot, variable, test })?;
            }
            "CASE" => {
                let value = self.expression()?;
                self.need_word("OF")?;
                let slot = self.slot();
                self.builder.push(place, Op::CaseBegin { slot, value });
                self.open(place, Block::Case { slot, test: None, done: Vec::new(), any: false })?;
            }
            "VALUE" => {
                let mut values = vec![self.expression()?];
                while self.sign(",") {
                    values.push(self.expression()?);
                }
                self.need_sign(":")?;
                let slot = self.case_arm("VALUE", place)?;
                let line = self.builder.push(place, Op::CaseTest { slot, values, otherwise: OPEN });
                if let Some((Block::Case { test, .. }, _)) = self.builder.blocks.last_mut() {
                    *test = Some(line);
                }
            }
            "ANY" => {
                self.sign(":");
                self.case_arm("ANY", place)?;
                if let Some((Block::Case { any, .. }, _)) = self.builder.blocks.last_mut() {
                    *any = true;
                }
            }
            "END" => self.end(place)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn nothing_open<T>(&self, word: &str, place: Place) -> Parsed<T> {
        Err(ProgramError::new(place, ProgramFault::NothingOpen(word.to_owned())))
    }

    /// Ends the arm before, if any, and begins another.
    fn case_arm(&mut self, word: &str, place: Place) -> Parsed<usize> {
        let here = self.builder.here();
        let Some((Block::Case { slot, test, done, any: false }, _)) = self.builder.blocks.last_mut() else {
            return self.nothing_open(word, place);
        };
        let (slot, before) = (*slot, test.take());
        if let Some(before) = before {
            done.push(here);
            self.builder.push(place, Op::Jump(OPEN));
            self.builder.fill(before, here + 1);
        }
        Ok(slot)
    }

    fn end(&mut self, place: Place) -> Parsed<()> {
        // A `DO` is closed by `UNTIL` alone.
        if matches!(self.builder.blocks.last(), None | Some((Block::Do { .. }, _))) {
            return self.nothing_open("END", place);
        }
        let Some((block, _)) = self.builder.blocks.pop() else { return Ok(()) };
        match block {
            Block::If { test, done } => {
                let here = self.builder.here();
                self.builder.fill(done.unwrap_or(test), here);
            }
            Block::While { test } => {
                let back = self.builder.push(place, Op::Jump(test));
                self.builder.fill(test, back + 1);
            }
            Block::For { slot, variable, test } => {
                let next = self.builder.push(place, Op::ForNext { slot, variable, test });
                self.builder.fill(test, next + 1);
            }
            Block::Case { test, done, .. } => {
                let here = self.builder.here();
                done.into_iter().chain(test).for_each(|line| self.builder.fill(line, here));
            }
            Block::Do { .. } => {}
        }
        Ok(())
    }

    fn type_items(&mut self) -> Parsed<Vec<TypeItem>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None => break,
                Some(Token::Text(text)) => {
                    items.push(TypeItem::Text(text.clone()));
                    self.at += 1;
                }
                Some(Token::Sign("/")) => {
                    self.at += 1;
                    items.push(self.type_format()?);
                }
                _ => items.push(TypeItem::Number(self.expression()?)),
            }
            if !self.sign(",") {
                break;
            }
        }
        Ok(items)
    }

    /// `/C2`, `/X3`, `/S`, `/I4`, `/F8.3`: lines, spaces, no line end, whole numbers, decimals.
    fn type_format(&mut self) -> Parsed<TypeItem> {
        let place = self.place();
        let word = self.any_word("a format such as /C1")?;
        let (letter, rest) = word.split_at(1);
        let count = |text: &str| text.parse::<usize>().ok().filter(|count| *count <= 200);
        let item = match letter {
            "S" if rest.is_empty() => Some(TypeItem::Stay),
            "C" => count(rest).map(TypeItem::Lines),
            "X" => count(rest).map(TypeItem::Spaces),
            "I" => Some(TypeItem::Decimals(0)),
            "F" => count(rest.split_once('.').map_or("3", |(_, decimals)| decimals))
                .filter(|decimals| *decimals <= 15)
                .map(TypeItem::Decimals),
            _ => None,
        };
        item.ok_or_else(|| {
            let (wanted, found) =
                ("a format such as /C1, /X3, /S, /I4 or /F8.3".to_owned(), format!("`/{word}`"));
            ProgramError::new(place, ProgramFault::Expected { wanted, found })
        })
    }

    fn listed<const N: usize>(&mut self) -> Parsed<[Expression; N]> {
        let mut all: [Expression; N] = std::array::from_fn(|_| Expression::Number(0.0));
        for (k, slot) in all.iter_mut().enumerate() {
            if k > 0 {
                self.need_sign(",")?;
            }
            *slot = self.expression()?;
        }
        Ok(all)
    }

    fn name(&mut self) -> Parsed<Name> {
        let word = self.any_word("a variable's name")?.to_owned();
        Ok(Name { word, index: self.index()? })
    }

    fn index(&mut self) -> Parsed<Option<Box<Expression>>> {
        if !self.sign("[") {
            return Ok(None);
        }
        let index = self.expression()?;
        self.need_sign("]")?;
        Ok(Some(Box::new(index)))
    }

    fn location_name(&mut self) -> Parsed<Name> {
        let sign = if self.sign("#") { "#" } else { "" };
        let word = self.any_word("a location's name")?;
        // The source's own program writes one with a dot at its end.
        let word = format!("{sign}{}", word.trim_end_matches('.'));
        Ok(Name { word, index: self.index()? })
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ProgramError::new(
                self.place(),
                ProgramFault::TooLarge("parentheses 100 deep at most"),
            ));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn location(&mut self) -> Parsed<Location> {
        let first = self.deeper(Self::single_location)?;
        if first.is_precision() || !matches!(self.peek(), Some(Token::Sign(":"))) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.sign(":") {
            let next = self.deeper(Self::single_location)?;
            if next.is_precision() {
                return self.expected("a transformation, which joint values are not,");
            }
            all.push(next);
        }
        Ok(Location::Compound(all))
    }

    fn single_location(&mut self) -> Parsed<Location> {
        let precision = matches!(self.peek(), Some(Token::Sign("#")));
        let called =
            |k: usize| matches!(self.words.get(self.at + k), Some(Placed { token: Token::Sign("("), .. }));
        if precision {
            let function = called(2);
            let name = self.location_name()?;
            if !function {
                return Ok(Location::Named(name));
            }
            if name.word != "#PPOINT" {
                return Err(ProgramError::new(self.place(), ProgramFault::UnknownFunction(name.word)));
            }
            return Ok(Location::Precision(self.arguments()?));
        }
        let function = called(1);
        match self.peek_word() {
            Some("HERE") => self.constant(Location::Here),
            Some("DEST") => self.constant(Location::Destination),
            Some("NULL") => self.constant(Location::Null),
            Some("BASE") => self.constant(Location::Base),
            Some("TOOL") => self.constant(Location::Tool),
            Some(name) if function => {
                self.at += 1;
                self.location_function(name)
            }
            _ => self.location_name().map(Location::Named),
        }
    }

    fn constant(&mut self, location: Location) -> Parsed<Location> {
        self.at += 1;
        Ok(location)
    }

    fn location_function(&mut self, name: &str) -> Parsed<Location> {
        let place = self.place();
        match name {
            "TRANS" => {
                let arguments = self.arguments()?;
                let found = arguments.len();
                let wrong = |_| {
                    let fault = ProgramFault::Arguments { name: "TRANS".into(), wanted: "6", found };
                    ProgramError::new(place, fault)
                };
                let six = <[Expression; 6]>::try_from(arguments).map_err(wrong)?;
                Ok(Location::Transformation(Box::new(six)))
            }
            "INVERSE" => {
                self.need_sign("(")?;
                let inner = self.location()?;
                self.need_sign(")")?;
                Ok(Location::Inverse(Box::new(inner)))
            }
            "SHIFT" => {
                self.need_sign("(")?;
                let inner = self.location()?;
                self.need_word("BY")?;
                let by = self.listed()?;
                self.need_sign(")")?;
                Ok(Location::Shift(Box::new(inner), Box::new(by)))
            }
            "FRAME" => {
                self.need_sign("(")?;
                let mut four: [Location; 4] = std::array::from_fn(|_| Location::Null);
                for (k, slot) in four.iter_mut().enumerate() {
                    if k > 0 {
                        self.need_sign(",")?;
                    }
                    *slot = self.location()?;
                }
                self.need_sign(")")?;
                Ok(Location::Frame(Box::new(four)))
            }
            _ => Err(ProgramError::new(place, ProgramFault::UnknownFunction(name.to_owned()))),
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        self.need_sign("(")?;
        let mut all = Vec::new();
        if self.sign(")") {
            return Ok(all);
        }
        loop {
            all.push(self.expression()?);
            if !self.sign(",") {
                break;
            }
        }
        self.need_sign(")")?;
        Ok(all)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|line| line.binary(0))
    }

    /// Weakest first: `OR XOR`, `AND`, relations, bits, sums, products.
    fn binary(&mut self, level: usize) -> Parsed<Expression> {
        if level == 6 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn operator(&self, level: usize) -> Option<Operator> {
        use Operator::*;
        let text = match self.peek()? {
            Token::Word(word) => word.as_str(),
            Token::Sign(sign) => sign,
            _ => return None,
        };
        let (at, operator) = match text {
            "OR" => (0, Or),
            "XOR" => (0, Xor),
            "AND" => (1, And),
            "==" | "=" => (2, Equal),
            "<>" => (2, NotEqual),
            "<" => (2, Less),
            "<=" | "=<" => (2, LessOrEqual),
            ">" => (2, Greater),
            ">=" | "=>" => (2, GreaterOrEqual),
            "BAND" => (3, BitAnd),
            "BOR" => (3, BitOr),
            "BXOR" => (3, BitXor),
            "+" => (4, Add),
            "-" => (4, Subtract),
            "*" => (5, Multiply),
            "/" => (5, Divide),
            "MOD" => (5, Modulo),
            _ => return None,
        };
        (at == level).then_some(operator)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        if self.sign("-") {
            return Ok(Expression::Negative(Box::new(self.deeper(Self::unary)?)));
        }
        if self.sign("+") {
            return self.deeper(Self::unary);
        }
        if self.word("NOT") {
            return Ok(Expression::Not(Box::new(self.deeper(Self::unary)?)));
        }
        if self.word("COM") {
            return Ok(Expression::Complement(Box::new(self.deeper(Self::unary)?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Expression> {
        if let Some(Token::Number(number)) = self.peek() {
            self.at += 1;
            return Ok(Expression::Number(*number));
        }
        if self.sign("(") {
            let inner = self.expression()?;
            self.need_sign(")")?;
            return Ok(inner);
        }
        let Some(word) = self.peek_word() else { return self.expected("a number or a variable") };
        let constant = match word {
            "TRUE" | "ON" => Some(-1.0),
            "FALSE" | "OFF" => Some(0.0),
            "PI" => Some(std::f64::consts::PI),
            _ => None,
        };
        if let Some(value) = constant {
            self.at += 1;
            return Ok(Expression::Number(value));
        }
        if STATEMENT_WORDS.contains(&word) {
            return self.expected("a number or a variable");
        }
        if matches!(self.words.get(self.at + 1), Some(Placed { token: Token::Sign("("), .. })) {
            self.at += 1;
            return self.function(word);
        }
        self.name().map(Expression::Variable)
    }

    fn function(&mut self, name: &str) -> Parsed<Expression> {
        use Function::*;
        let place = self.place();
        if matches!(name, "DX" | "DY" | "DZ" | "INRANGE" | "DISTANCE") {
            self.need_sign("(")?;
            let first = self.location()?;
            let result = match name {
                "DISTANCE" => {
                    self.need_sign(",")?;
                    Expression::Distance(Box::new([first, self.location()?]))
                }
                "INRANGE" => Expression::InRange(Box::new(first)),
                _ => Expression::Coordinate((name.as_bytes()[1] - b'X') as usize, Box::new(first)),
            };
            self.need_sign(")")?;
            return Ok(result);
        }
        let (function, least, most, wanted) = match name {
            "ABS" => (Abs, 1, 1, "1"),
            "SIN" => (Sin, 1, 1, "1"),
            "COS" => (Cos, 1, 1, "1"),
            "ATAN2" => (Atan2, 2, 2, "2"),
            "SQRT" => (Sqrt, 1, 1, "1"),
            "SQR" => (Sqr, 1, 1, "1"),
            "SIGN" => (Sign, 1, 1, "1"),
            "INT" => (Int, 1, 1, "1"),
            "FRACT" => (Fract, 1, 1, "1"),
            "MIN" => (Min, 1, 99, "1 or more"),
            "MAX" => (Max, 1, 99, "1 or more"),
            "SIG" => (Sig, 1, 99, "1 or more"),
            "TIMER" => (Timer, 1, 1, "1"),
            "SPEED" => (Speed, 0, 1, "0 or 1"),
            "HAND" => (Hand, 0, 1, "0 or 1"),
            "RANDOM" => (Random, 0, 1, "0 or 1"),
            _ => return Err(ProgramError::new(place, ProgramFault::UnknownFunction(name.to_owned()))),
        };
        let arguments = self.arguments()?;
        let found = arguments.len();
        if found < least || found > most {
            let fault = ProgramFault::Arguments { name: name.to_owned(), wanted, found };
            return Err(ProgramError::new(place, fault));
        }
        Ok(Expression::Call(function, arguments))
    }
}

/// Words that end an expression, so that no variable may have their name.
const STATEMENT_WORDS: [&str; 11] =
    ["THEN", "DO", "TO", "STEP", "OF", "GOTO", "BY", "MMPS", "ALWAYS", "AND", "OR"];
