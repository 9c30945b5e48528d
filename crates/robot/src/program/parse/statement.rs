//! Statements.

use super::builder::{Block, OPEN};
use super::line::{Line, Parsed};
use super::{MAX_DEPTH, ProgramError, ProgramFault};
use crate::Place;
use crate::program::code::{ArmWord, Expression, Location, Op, SpeedUnit, TypeItem};
use crate::program::token::Token;

/// The statements that programs may have, besides those that are known and change nothing here.
pub const STATEMENTS: [&str; 58] = [
    "MOVE", "MOVES", "MOVET", "MOVEST", "APPRO", "APPROS", "DEPART", "DEPARTS", "DRIVE", "DELAY", "READY",
    "ALIGN", "BREAK", "SPEED", "COARSE", "FINE", "OPEN", "OPENI", "CLOSE", "CLOSEI", "GRASP", "LEFTY",
    "RIGHTY", "ABOVE", "BELOW", "FLIP", "NOFLIP", "TOOL", "BASE", "SET", "POINT", "HERE", "SIGNAL", "RESET",
    "WAIT", "TIMER", "GOTO", "IF", "THEN", "ELSE", "END", "WHILE", "DO", "UNTIL", "FOR", "CASE", "VALUE",
    "ANY", "CALL", "RETURN", "STOP", "HALT", "PAUSE", "TYPE", "REACT", "REACTI", "IGNORE", "MAIN",
];

/// Statements that say how a real controller works inside; a simulated one does not change.
pub(super) const WITHOUT_EFFECT: [&str; 13] = [
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

pub(super) const REFUSED: [(&str, &str); 14] = [
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

impl Line<'_> {
    pub(super) fn statement(mut self) -> Parsed<()> {
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

    pub(super) fn label(&mut self, number: f64) -> Parsed<u32> {
        if !(0.0..=1e6).contains(&number) || number.fract() != 0.0 {
            return self.expected("a label, a whole number,");
        }
        self.at += 1;
        Ok(number as u32)
    }

    pub(super) fn keyword(&mut self, word: &str, place: Place) -> Parsed<()> {
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
            // The hand moves with the arm, as an OPEN before it would have it.
            "MOVET" | "MOVEST" => {
                let to = self.location()?;
                self.need_sign(",")?;
                let amount = Some(self.expression()?);
                self.builder.push(place, Op::Grip { open: true, now: false, amount });
                Op::Move { straight: word == "MOVEST", to }
            }
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
    pub(super) fn approach(&mut self, straight: bool, place: Place) -> Parsed<Op> {
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

    pub(super) fn grasp(&mut self, place: Place) -> Parsed<()> {
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

    pub(super) fn goto(&mut self, place: Place, condition: Option<Expression>) -> Parsed<()> {
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

    pub(super) fn open(&mut self, place: Place, block: Block) -> Parsed<()> {
        if self.builder.blocks.len() >= MAX_DEPTH {
            return Err(ProgramError::new(place, ProgramFault::TooLarge("blocks 100 deep at most")));
        }
        self.builder.blocks.push((block, place));
        Ok(())
    }

    pub(super) fn slot(&mut self) -> usize {
        self.builder.program.slots += 1;
        self.builder.program.slots - 1
    }

    /// Statements that change where the program goes on; whether it was one.
    pub(super) fn flow(&mut self, word: &str, place: Place) -> Parsed<bool> {
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

    pub(super) fn nothing_open<T>(&self, word: &str, place: Place) -> Parsed<T> {
        Err(ProgramError::new(place, ProgramFault::NothingOpen(word.to_owned())))
    }

    /// Ends the arm before, if any, and begins another.
    pub(super) fn case_arm(&mut self, word: &str, place: Place) -> Parsed<usize> {
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

    pub(super) fn end(&mut self, place: Place) -> Parsed<()> {
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

    pub(super) fn type_items(&mut self) -> Parsed<Vec<TypeItem>> {
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
    pub(super) fn type_format(&mut self) -> Parsed<TypeItem> {
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
}
