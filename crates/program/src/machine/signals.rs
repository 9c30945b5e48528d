//! Statements on signals: outputs, waiting, reactions.

use super::values::magnitude;
use super::{Host, Interpreter, Next, Ran, Reaction, RunFault};
use crate::code::{Expression, Function, Program};

impl<H: Host> Interpreter<'_, H> {
    pub(super) fn signal(&mut self, signals: &[Expression]) -> Ran<Next> {
        for signal in signals {
            let signal = self.signal_number(signal)?;
            let number = magnitude(signal);
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
        let most =
            if calls(condition, Function::Timer).is_empty() { f64::INFINITY } else { self.clock + 0.01 };
        let next = self.host.next_input(self.clock, most).filter(|time| *time > self.clock);
        let until = next.map_or(most, |time| time.min(most));
        if until == f64::INFINITY {
            let mut signals = Vec::new();
            for signal in calls(condition, Function::Sig).into_iter().flatten() {
                signals.push(self.signal_number(signal)?);
            }
            return Err(RunFault::WaitsForEver(signals));
        }
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

/// Arguments of all calls of a function in an expression.
fn calls(expression: &Expression, function: Function) -> Vec<&[Expression]> {
    let inner: &[Expression] = match expression {
        Expression::Call(called, arguments) if *called == function => return vec![arguments],
        Expression::Call(_, arguments) => arguments,
        Expression::Negative(inner) | Expression::Not(inner) | Expression::Complement(inner) => {
            std::slice::from_ref(inner)
        }
        Expression::Binary(_, both) => &both[..],
        _ => &[],
    };
    inner.iter().flat_map(|inner| calls(inner, function)).collect()
}
