//! Statements of control flow: jumps, loops, cases, calls.

use super::values::finite;
use super::{Host, Interpreter, Next, Ran, RunFault, Slot};
use crate::code::{Expression, Name};

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn jump_if(&mut self, condition: &Expression, when: bool, to: usize) -> Ran<Next> {
        let holds = self.number(condition)? != 0.0;
        Ok(if holds == when { Next::To(to) } else { Next::On })
    }

    pub(super) fn for_begin(&mut self, slot: usize, variable: &Name, range: &[Expression; 3]) -> Ran<Next> {
        let [from, end, step] = self.numbers(range)?;
        if step == 0.0 {
            return Err(RunFault::OutOfRange {
                what: "the step of a loop".into(),
                value: 0.0,
                range: "not 0".into(),
            });
        }
        let key = self.key(variable)?;
        self.check_names()?;
        self.variables.insert(key, from);
        self.put(slot, Slot { end, step });
        Ok(Next::On)
    }

    pub(super) fn for_test(&mut self, slot: usize, variable: &Name, exit: usize) -> Ran<Next> {
        let Slot { end, step } = self.slot(slot)?;
        let value = self.variable(variable)?;
        let past = if step > 0.0 { value > end } else { value < end };
        Ok(if past { Next::To(exit) } else { Next::On })
    }

    pub(super) fn for_next(&mut self, slot: usize, variable: &Name, test: usize) -> Ran<Next> {
        let step = self.slot(slot)?.step;
        let value = finite(self.variable(variable)? + step)?;
        let key = self.key(variable)?;
        self.variables.insert(key, value);
        Ok(Next::To(test))
    }

    pub(super) fn case_begin(&mut self, slot: usize, value: &Expression) -> Ran<Next> {
        let end = self.number(value)?;
        self.put(slot, Slot { end, step: 0.0 });
        Ok(Next::On)
    }

    pub(super) fn case_test(&mut self, slot: usize, values: &[Expression], otherwise: usize) -> Ran<Next> {
        let wanted = self.slot(slot)?.end;
        let mut one = false;
        for value in values {
            one |= self.number(value)? == wanted;
        }
        Ok(if one { Next::On } else { Next::To(otherwise) })
    }

    pub(super) fn call_program(&mut self, name: &str) -> Ran<Next> {
        let priority = self.frames.last().map_or(0.0, |frame| frame.priority);
        self.call(name, priority)?;
        Ok(Next::On)
    }

    fn put(&mut self, slot: usize, value: Slot) {
        let place = self.frames.last_mut().and_then(|frame| frame.slots.get_mut(slot));
        if let Some(place) = place {
            *place = Some(value);
        }
    }

    fn slot(&self, slot: usize) -> Ran<Slot> {
        self.frames.last().and_then(|frame| *frame.slots.get(slot)?).ok_or(RunFault::IntoLoop)
    }
}
