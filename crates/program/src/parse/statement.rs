//! Statements.

use super::builder::OPEN;
use super::line::{Line, Parsed};
use super::{ProgramError, ProgramFault};
use crate::code::{ArmWord, Expression, Location, Op, SpeedUnit, TypeItem};
use crate::token::Token;
use noli_robot::Place;
use noli_robot::message::{excerpt, suggestion};

/// The statements that programs may have, besides those that are known and change nothing here.
pub const STATEMENTS: [&str; 58] = [
    "MOVE", "MOVES", "MOVET", "MOVEST", "APPRO", "APPROS", "DEPART", "DEPARTS", "DRIVE", "DELAY", "READY",
    "ALIGN", "BREAK", "SPEED", "COARSE", "FINE", "OPEN", "OPENI", "CLOSE", "CLOSEI", "GRASP", "LEFTY",
    "RIGHTY", "ABOVE", "BELOW", "FLIP", "NOFLIP", "TOOL", "BASE", "SET", "POINT", "HERE", "SIGNAL", "RESET",
    "WAIT", "TIMER", "GOTO", "IF", "THEN", "ELSE", "END", "WHILE", "DO", "UNTIL", "FOR", "CASE", "VALUE",
    "ANY", "CALL", "RETURN", "STOP", "HALT", "PAUSE", "TYPE", "REACT", "REACTI", "IGNORE", "MAIN",
];

/// Statements about internals of a real controller; a simulated one ignores them.
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
                return Err(ProgramError::new(self.start(), ProgramFault::LabelTwice(label)));
            }
        }
        if self.done() {
            let place = self.start();
            self.builder.push(place, Op::Nothing);
            return Ok(());
        }
        let place = self.place();
        let second = self.ahead(1);
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
        self.skip();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number up to a million"
        )]
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
        if word == "GRASP" {
            return self.grasp(place);
        }
        let op = match self.operation(word, place)? {
            Some(op) => op,
            None => return Err(unknown_statement(word, place)),
        };
        self.builder.push(place, op);
        Ok(())
    }

    /// One operation for a statement of one; `None` for unknown words.
    fn operation(&mut self, word: &str, place: Place) -> Parsed<Option<Op>> {
        Ok(Some(match word {
            "MOVE" => Op::Move { straight: false, to: self.location()? },
            "MOVES" => Op::Move { straight: true, to: self.location()? },
            "MOVET" | "MOVEST" => self.move_and_grip(word == "MOVEST", place)?,
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
            "SPEED" => self.speed()?,
            "COARSE" | "FINE" => self.precise(word == "FINE")?,
            "OPEN" | "OPENI" | "CLOSE" | "CLOSEI" => self.grip(word)?,
            "LEFTY" => Op::Arm(ArmWord::Lefty),
            "RIGHTY" => Op::Arm(ArmWord::Righty),
            "ABOVE" => Op::Arm(ArmWord::Above),
            "BELOW" => Op::Arm(ArmWord::Below),
            "FLIP" => Op::Arm(ArmWord::Flip),
            "NOFLIP" => Op::Arm(ArmWord::NoFlip),
            "TOOL" => Op::Tool(if self.done() { None } else { Some(self.location()?) }),
            "BASE" => Op::Base(if self.done() { None } else { Some(Box::new(self.listed()?)) }),
            "SET" | "POINT" => self.set()?,
            "HERE" => Op::Set(self.location_name()?, Location::Here),
            "SIGNAL" => Op::Signal(self.expressions()?),
            "RESET" => Op::Reset,
            "WAIT" => Op::Wait(self.expression()?),
            "TIMER" => self.timer()?,
            "CALL" => self.call()?,
            "RETURN" => Op::Return,
            "STOP" => Op::Stop,
            "HALT" => Op::Halt,
            "PAUSE" => Op::Pause,
            "TYPE" => Op::Type(self.type_items()?),
            "REACT" | "REACTI" => self.reaction(word == "REACTI")?,
            "IGNORE" => Op::Ignore(self.expression()?),
            _ => return Ok(None),
        }))
    }

    /// `MOVET` and `MOVEST`: the gripper opens with the motion.
    fn move_and_grip(&mut self, straight: bool, place: Place) -> Parsed<Op> {
        let to = self.location()?;
        self.need_sign(",")?;
        let amount = Some(self.expression()?);
        self.builder.push(place, Op::Grip { open: true, now: false, amount });
        Ok(Op::Move { straight, to })
    }

    fn speed(&mut self) -> Parsed<Op> {
        let value = self.expression()?;
        let unit = if self.word("MMPS") { SpeedUnit::MillimetresPerSecond } else { SpeedUnit::Percent };
        Ok(Op::Speed { value, unit, always: self.word("ALWAYS") })
    }

    fn precise(&mut self, fine: bool) -> Parsed<Op> {
        if !self.done() && self.peek_word() != Some("ALWAYS") {
            self.expression()?;
        }
        Ok(Op::Precise { fine, always: self.word("ALWAYS") })
    }

    fn grip(&mut self, word: &str) -> Parsed<Op> {
        let amount = if self.done() { None } else { Some(self.expression()?) };
        Ok(Op::Grip { open: word.starts_with('O'), now: word.ends_with('I'), amount })
    }

    fn set(&mut self) -> Parsed<Op> {
        let target = self.location_name()?;
        self.need_sign("=")?;
        let value = self.location()?;
        if target.word.starts_with('#') != value.is_precision() {
            return self.expected("a location of the same kind: `#` names are joint values,");
        }
        Ok(Op::Set(target, value))
    }

    /// One expression or more, separated by commas.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut all = vec![self.expression()?];
        while self.sign(",") {
            all.push(self.expression()?);
        }
        Ok(all)
    }

    fn timer(&mut self) -> Parsed<Op> {
        // Without relations, or the `=` would be one.
        let number = self.deeper(|line| line.binary(3))?;
        self.need_sign("=")?;
        Ok(Op::Timer(number, self.expression()?))
    }

    fn call(&mut self) -> Parsed<Op> {
        let name = self.any_word("a program's name")?.to_owned();
        if self.sign("(") {
            self.need_sign(")")?;
        }
        Ok(Op::Call(name))
    }

    fn reaction(&mut self, now: bool) -> Parsed<Op> {
        let signal = self.expression()?;
        self.need_sign(",")?;
        let program = self.any_word("a program's name")?.to_owned();
        let priority = if self.sign(",") { Some(self.expression()?) } else { None };
        Ok(Op::React { signal, program, priority, now })
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
        self.remark(place, "distance first: read as `APPRO location, distance`");
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

    pub(super) fn type_items(&mut self) -> Parsed<Vec<TypeItem>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None => break,
                Some(Token::Text(text)) => {
                    items.push(TypeItem::Text(text.clone()));
                    self.skip();
                }
                Some(Token::Sign("/")) => {
                    self.skip();
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

fn unknown_statement(word: &str, place: Place) -> ProgramError {
    let hint = suggestion(word, STATEMENTS.into_iter());
    ProgramError::new(place, ProgramFault::UnknownStatement { word: excerpt(word), hint })
}
