//! Locations that programs read and nothing sets: found without a run.

use crate::code::{Expression, Location, Name, Op};
use crate::machine::Locations;
use crate::parse::Programs;
use noli_robot::Place;
use std::collections::HashSet;

impl Programs {
    /// Returns the locations that statements read although they are not `known` and no statement sets them: their
    /// names with the statements, in the order of the text. An array is set if a statement sets any of its elements.
    ///
    /// ```
    /// use noli_program::{Locations, Programs};
    ///
    /// let programs: Programs = "HERE safe\nMOVE safe\nAPPRO nowhere, 50\n".parse()?;
    /// let [(place, name)] = &programs.unset_locations(&Locations::default())[..] else { panic!() };
    /// assert_eq!((place.line, name.as_str()), (3, "NOWHERE"));
    /// # Ok::<(), noli_program::ProgramError>(())
    /// ```
    pub fn unset_locations(&self, known: &Locations) -> Vec<(Place, String)> {
        let lines = || self.list.iter().flat_map(|program| &program.lines);
        let set: HashSet<(&str, bool)> = lines()
            .filter_map(|line| if let Op::Set(name, _) = &line.op { Some(name) } else { None })
            .map(|name| (name.word.as_str(), name.index.is_some()))
            .collect();
        let mut unset: Vec<(Place, String)> = Vec::new();
        for line in lines() {
            let mut read = Vec::new();
            read_by(&line.op, &mut read);
            for name in read {
                let found = (line.place, written(name));
                let is_set = set.contains(&(name.word.as_str(), name.index.is_some()));
                if !is_set && !is_known(name, known) && !unset.contains(&found) {
                    unset.push(found);
                }
            }
        }
        unset.sort_by_key(|(place, _)| (place.line, place.column));
        unset
    }
}

fn literal(name: &Name) -> Option<f64> {
    match name.index.as_deref() {
        Some(Expression::Number(index)) => Some(*index),
        _ => None,
    }
}

/// The name as a program has it; an index that is computed is left out.
fn written(name: &Name) -> String {
    match literal(name) {
        Some(index) => format!("{}[{index}]", name.word),
        None if name.index.is_some() => format!("{}[]", name.word),
        None => name.word.clone(),
    }
}

fn is_known(name: &Name, known: &Locations) -> bool {
    let has = |word: &str, fits: &dyn Fn(&str) -> bool| match word.strip_prefix('#') {
        Some(_) => known.points.keys().any(|key| fits(key)),
        None => known.transformations.keys().any(|key| fits(key)),
    };
    let word = name.word.trim_start_matches('#');
    match (&name.index, literal(name)) {
        (None, _) => has(&name.word, &|key| key == word),
        (Some(_), Some(index)) => has(&name.word, &|key| key == format!("{word}[{index}]")),
        (Some(_), None) => {
            has(&name.word, &|key| key.strip_prefix(word).is_some_and(|end| end.starts_with('[')))
        }
    }
}

/// Adds the locations that a statement reads.
fn read_by<'a>(op: &'a Op, read: &mut Vec<&'a Name>) {
    match op {
        Op::Set(name, to) => {
            in_index(name, read);
            in_location(to, read);
        }
        Op::Assign(name, value) => {
            in_index(name, read);
            in_expression(value, read);
        }
        Op::Move { to, .. } | Op::Tool(Some(to)) => in_location(to, read),
        Op::Approach { to, distance, .. } => {
            in_location(to, read);
            in_expression(distance, read);
        }
        Op::Drive { joint, change, speed } => {
            [joint, change, speed].into_iter().for_each(|value| in_expression(value, read));
        }
        Op::Depart { distance: value, .. }
        | Op::Delay(value)
        | Op::Speed { value, .. }
        | Op::Grip { amount: Some(value), .. }
        | Op::Grasp { least: value, .. }
        | Op::Wait(value)
        | Op::JumpIf { condition: value, .. }
        | Op::CaseBegin { value, .. }
        | Op::Ignore(value) => in_expression(value, read),
        Op::Base(Some(values)) => values.iter().for_each(|value| in_expression(value, read)),
        Op::Signal(values) | Op::CaseTest { values, .. } => {
            values.iter().for_each(|value| in_expression(value, read));
        }
        Op::Timer(number, value) => [number, value].into_iter().for_each(|value| in_expression(value, read)),
        Op::ForBegin { range, .. } => range.iter().for_each(|value| in_expression(value, read)),
        Op::Type(items) => items.iter().for_each(|item| {
            if let crate::code::TypeItem::Number(value) = item {
                in_expression(value, read);
            }
        }),
        Op::React { signal, priority, .. } => {
            std::iter::once(signal).chain(priority).for_each(|value| in_expression(value, read));
        }
        Op::Tool(None)
        | Op::Base(None)
        | Op::Grip { amount: None, .. }
        | Op::Ready
        | Op::Align
        | Op::Break
        | Op::Precise { .. }
        | Op::Arm(_)
        | Op::Reset
        | Op::Jump(_)
        | Op::ForTest { .. }
        | Op::ForNext { .. }
        | Op::Call(_)
        | Op::Return
        | Op::Stop
        | Op::Halt
        | Op::Pause
        | Op::Nothing => {}
    }
}

fn in_index<'a>(name: &'a Name, read: &mut Vec<&'a Name>) {
    name.index.iter().for_each(|index| in_expression(index, read));
}

fn in_expression<'a>(expression: &'a Expression, read: &mut Vec<&'a Name>) {
    match expression {
        Expression::Number(_) => {}
        Expression::Variable(name) => in_index(name, read),
        Expression::Negative(inner) | Expression::Not(inner) | Expression::Complement(inner) => {
            in_expression(inner, read);
        }
        Expression::Binary(_, both) => both.iter().for_each(|one| in_expression(one, read)),
        Expression::Call(_, arguments) => arguments.iter().for_each(|one| in_expression(one, read)),
        Expression::Distance(both) => both.iter().for_each(|one| in_location(one, read)),
        Expression::Coordinate(_, location) | Expression::InRange(location) => in_location(location, read),
    }
}

fn in_location<'a>(location: &'a Location, read: &mut Vec<&'a Name>) {
    match location {
        Location::Named(name) => {
            in_index(name, read);
            read.push(name);
        }
        Location::Compound(parts) => parts.iter().for_each(|part| in_location(part, read)),
        Location::Here | Location::Destination | Location::Null | Location::Base | Location::Tool => {}
        Location::Transformation(parts) => parts.iter().for_each(|part| in_expression(part, read)),
        Location::Shift(inner, by) => {
            in_location(inner, read);
            by.iter().for_each(|part| in_expression(part, read));
        }
        Location::Inverse(inner) => in_location(inner, read),
        Location::Frame(four) => four.iter().for_each(|one| in_location(one, read)),
        Location::Precision(values) => values.iter().for_each(|value| in_expression(value, read)),
    }
}
