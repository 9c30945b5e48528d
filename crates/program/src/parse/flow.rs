//! Statements of control flow: jumps, blocks, loops, cases.

use super::builder::{Block, OPEN};
use super::line::{Line, Parsed};
use super::{MAX_DEPTH, ProgramError, ProgramFault};
use crate::code::{Expression, Op};
use crate::token::Token;
use noli_robot::Place;

impl Line<'_> {
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
        let slot = self.builder.program.slots;
        self.builder.program.slots = slot.saturating_add(1);
        slot
    }

    /// Parses a statement of control flow; `false` for other words.
    pub(super) fn flow(&mut self, word: &str, place: Place) -> Parsed<bool> {
        match word {
            "GOTO" => self.goto(place, None)?,
            "IF" => self.begin_if(place)?,
            "ELSE" => self.begin_else(place)?,
            "WHILE" => self.begin_while(place)?,
            "DO" => {
                let start = self.builder.here();
                self.open(place, Block::Do { start })?;
            }
            "UNTIL" => self.until(place)?,
            "FOR" => self.begin_for(place)?,
            "CASE" => self.begin_case(place)?,
            "VALUE" => self.case_value(place)?,
            "ANY" => self.case_any(place)?,
            "END" => self.end(place)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn begin_if(&mut self, place: Place) -> Parsed<()> {
        let condition = self.expression()?;
        if self.word("GOTO") {
            return self.goto(place, Some(condition));
        }
        self.need_word("THEN")?;
        let test = self.builder.push(place, Op::JumpIf { condition, when: false, to: OPEN });
        self.open(place, Block::If { test, done: None })
    }

    fn begin_else(&mut self, place: Place) -> Parsed<()> {
        let done = self.builder.push(place, Op::Jump(OPEN));
        match self.builder.blocks.last_mut() {
            Some((Block::If { test, done: open @ None }, _)) => {
                *open = Some(done);
                let test = *test;
                let here = self.builder.here();
                self.builder.fill(test, here);
                Ok(())
            }
            _ => self.nothing_open("ELSE", place),
        }
    }

    fn begin_while(&mut self, place: Place) -> Parsed<()> {
        let condition = self.expression()?;
        self.need_word("DO")?;
        let test = self.builder.push(place, Op::JumpIf { condition, when: false, to: OPEN });
        self.open(place, Block::While { test })
    }

    fn until(&mut self, place: Place) -> Parsed<()> {
        let condition = self.expression()?;
        let Some((Block::Do { start }, _)) = self.builder.blocks.last() else {
            return self.nothing_open("UNTIL", place);
        };
        let to = *start;
        self.builder.blocks.pop();
        self.builder.push(place, Op::JumpIf { condition, when: false, to });
        Ok(())
    }

    fn begin_for(&mut self, place: Place) -> Parsed<()> {
        let variable = self.name()?;
        self.need_sign("=")?;
        let from = self.expression()?;
        self.need_word("TO")?;
        let to = self.expression()?;
        let step = if self.word("STEP") { self.expression()? } else { Expression::Number(1.0) };
        let slot = self.slot();
        let range = Box::new([from, to, step]);
        self.builder.push(place, Op::ForBegin { slot, variable: variable.clone(), range });
        let test = self.builder.push(place, Op::ForTest { slot, variable: variable.clone(), exit: OPEN });
        self.open(place, Block::For { slot, variable, test })
    }

    fn begin_case(&mut self, place: Place) -> Parsed<()> {
        let value = self.expression()?;
        self.need_word("OF")?;
        let slot = self.slot();
        self.builder.push(place, Op::CaseBegin { slot, value });
        self.open(place, Block::Case { slot, test: None, done: Vec::new(), any: false })
    }

    fn case_value(&mut self, place: Place) -> Parsed<()> {
        let values = self.expressions()?;
        self.need_sign(":")?;
        let slot = self.case_arm("VALUE", place)?;
        let line = self.builder.push(place, Op::CaseTest { slot, values, otherwise: OPEN });
        if let Some((Block::Case { test, .. }, _)) = self.builder.blocks.last_mut() {
            *test = Some(line);
        }
        Ok(())
    }

    fn case_any(&mut self, place: Place) -> Parsed<()> {
        self.sign(":");
        self.case_arm("ANY", place)?;
        if let Some((Block::Case { any, .. }, _)) = self.builder.blocks.last_mut() {
            *any = true;
        }
        Ok(())
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
            let next = self.builder.here();
            self.builder.fill(before, next);
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
                self.builder.push(place, Op::Jump(test));
                let next = self.builder.here();
                self.builder.fill(test, next);
            }
            Block::For { slot, variable, test } => {
                self.builder.push(place, Op::ForNext { slot, variable, test });
                let next = self.builder.here();
                self.builder.fill(test, next);
            }
            Block::Case { test, done, .. } => {
                let here = self.builder.here();
                done.into_iter().chain(test).for_each(|line| self.builder.fill(line, here));
            }
            Block::Do { .. } => {}
        }
        Ok(())
    }
}
