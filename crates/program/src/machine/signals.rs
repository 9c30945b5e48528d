//! Statements on signals: outputs, waiting, reactions.

use super::{Host, Interpreter, Next, Ran, Reaction, RunFault};
use crate::code::{Expression, Function, Program};

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn signal(&mut self, signals: &[Expression]) -> Ran<Next> {
        for signal in signals {
            let signal = self.signal_number(signal)?;
            let number = signal.unsigned_abs() as u32;
            self.outputs.insert(number, signal > 0);
            self.host.output(number, signal > 0, self.clock, self.place);
        }
        Ok(Next::On)
    }

    pub(super) fn reset_outputs(&mut self) -> Ran<Next> {
        let mut on: Vec<u32> =
            self.outputs.iter().filter(|(_, on)| **on).map(|(number, _)| *number).collect();
        on.sort_unstable();
        self.outputs.clear();
        on.into_iter().for_each(|number| self.host.output(number, false, self.clock, self.place));
        Ok(Next::On)
    }

    pub(super) fn wait(&mut self, condition: &Expression) -> Ran<Next> {
        if self.number(condition)? != 0.0 {
            return Ok(Next::On);
        }
        // Inputs change at their times; timers run on by themselves.
        let next = self.host.next_input(self.clock).filter(|time| *time > self.clock);
        let timed = uses_timer(condition);
        let until = match next {
            Some(time) if timed => time.min(self.clock + 0.01),
            Some(time) => time,
            None if timed => self.clock + 0.01,
            None => return Err(RunFault::WaitsForEver),
        };
        self.advance(until)?;
        Ok(Next::Again)
    }

    pub(super) fn add_reaction(
        &mut self,
        signal: &Expression,
        program: &str,
        priority: Option<&Expression>,
        now: bool,
    ) -> Ran<Next> {
        let signal = self.signal_number(signal)?;
        let priority = match priority {
            None => 1.0,
            Some(priority) => self.number(priority)?,
        };
        let wanted = |p: &Program| p.name.eq_ignore_ascii_case(program);
        let Some(program) = self.programs.list.iter().position(wanted) else {
            return Err(RunFault::NoProgram(program.to_owned()));
        };
        self.reactions.retain(|reaction| reaction.signal != signal);
        if self.reactions.len() >= 1000 {
            return Err(RunFault::NameLimit(1000));
        }
        let was = self.signal_is(signal);
        self.reactions.push(Reaction { signal, program, priority, now, was, due: false });
        Ok(Next::On)
    }

    pub(super) fn ignore(&mut self, signal: &Expression) -> Ran<Next> {
        let signal = self.signal_number(signal)?;
        self.reactions.retain(|reaction| reaction.signal.abs() != signal.abs());
        Ok(Next::On)
    }
}

fn uses_timer(expression: &Expression) -> bool {
    match expression {
        Expression::Call(Function::Timer, _) => true,
        Expression::Call(_, inner) => inner.iter().any(uses_timer),
        Expression::Negative(inner) | Expression::Not(inner) | Expression::Complement(inner) => {
            uses_timer(inner)
        }
        Expression::Binary(_, both) => both.iter().any(uses_timer),
        _ => false,
    }
}
