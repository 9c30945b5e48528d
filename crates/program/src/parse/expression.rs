//! Expressions, names and locations.

use super::line::{Line, Parsed};
use super::{MAX_DEPTH, ProgramError, ProgramFault};
use crate::code::{Expression, Function, Location, Name, Operator};
use crate::token::Token;

/// Words that end an expression, so that no variable may have their name.
const STATEMENT_WORDS: [&str; 11] =
    ["THEN", "DO", "TO", "STEP", "OF", "GOTO", "BY", "MMPS", "ALWAYS", "AND", "OR"];

impl Line<'_> {
    pub(super) fn listed<const N: usize>(&mut self) -> Parsed<[Expression; N]> {
        let mut all: [Expression; N] = std::array::from_fn(|_| Expression::Number(0.0));
        for (k, slot) in all.iter_mut().enumerate() {
            if k > 0 {
                self.need_sign(",")?;
            }
            *slot = self.expression()?;
        }
        Ok(all)
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        let word = self.any_word("a variable's name")?.to_owned();
        Ok(Name { word, index: self.index()? })
    }

    pub(super) fn index(&mut self) -> Parsed<Option<Box<Expression>>> {
        if !self.sign("[") {
            return Ok(None);
        }
        let index = self.expression()?;
        self.need_sign("]")?;
        Ok(Some(Box::new(index)))
    }

    pub(super) fn location_name(&mut self) -> Parsed<Name> {
        let sign = if self.sign("#") { "#" } else { "" };
        let word = self.any_word("a location's name")?;
        // The source's own program writes one with a dot at its end.
        let word = format!("{sign}{}", word.trim_end_matches('.'));
        Ok(Name { word, index: self.index()? })
    }

    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ProgramError::new(
                self.place(),
                ProgramFault::TooLarge("parentheses 100 deep at most"),
            ));
        }
        let outer = self.depth;
        self.depth = outer.saturating_add(1);
        let result = inner(self);
        self.depth = outer;
        result
    }

    pub(super) fn location(&mut self) -> Parsed<Location> {
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

    pub(super) fn single_location(&mut self) -> Parsed<Location> {
        let precision = matches!(self.peek(), Some(Token::Sign("#")));
        let called = |k: usize| matches!(self.ahead(k), Some(Token::Sign("(")));
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
                self.skip();
                self.location_function(name)
            }
            _ => self.location_name().map(Location::Named),
        }
    }

    pub(super) fn constant(&mut self, location: Location) -> Parsed<Location> {
        self.skip();
        Ok(location)
    }

    pub(super) fn location_function(&mut self, name: &str) -> Parsed<Location> {
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

    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expression>> {
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

    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|line| line.binary(0))
    }

    /// Weakest first: `OR XOR`, `AND`, relations, bits, sums, products.
    pub(super) fn binary(&mut self, level: usize) -> Parsed<Expression> {
        if level == 6 {
            return self.unary();
        }
        let stronger = level.saturating_add(1);
        let mut left = self.binary(stronger)?;
        while let Some(operator) = self.operator(level) {
            self.skip();
            let right = self.binary(stronger)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    pub(super) fn operator(&self, level: usize) -> Option<Operator> {
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

    pub(super) fn unary(&mut self) -> Parsed<Expression> {
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

    pub(super) fn primary(&mut self) -> Parsed<Expression> {
        if let Some(Token::Number(number)) = self.peek() {
            self.skip();
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
            self.skip();
            return Ok(Expression::Number(value));
        }
        if STATEMENT_WORDS.contains(&word) {
            return self.expected("a number or a variable");
        }
        if matches!(self.ahead(1), Some(Token::Sign("("))) {
            self.skip();
            return self.function(word);
        }
        self.name().map(Expression::Variable)
    }

    pub(super) fn function(&mut self, name: &str) -> Parsed<Expression> {
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
                "DX" => Expression::Coordinate(0, Box::new(first)),
                "DY" => Expression::Coordinate(1, Box::new(first)),
                _ => Expression::Coordinate(2, Box::new(first)),
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
