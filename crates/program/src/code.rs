//! Programs as the interpreter sees them: a flat list of operations with jumps, so that `GOTO` may go
//! anywhere.

use noli_robot::Place;

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its name, in capitals.
    pub name: String,
    /// Start of its text.
    pub place: Place,
    /// Its operations, in order.
    pub lines: Vec<ProgramLine>,
    /// Number of its loops and cases, each of which stores a value.
    pub slots: usize,
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLine {
    /// Position in the source text.
    pub place: Place,
    /// Action to take.
    pub op: Op,
}

/// A variable or location: its name in capitals, and for an element of an array which.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Name in capitals; those of precision points start with `#`.
    pub word: String,
    /// Index of the element.
    pub index: Option<Box<Expression>>,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Xor,
    BitAnd,
    BitOr,
    BitXor,
}

/// Functions of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function {
    Abs,
    Sin,
    Cos,
    Atan2,
    Sqrt,
    Sqr,
    Sign,
    Int,
    Fract,
    Min,
    Max,
    Sig,
    Timer,
    Speed,
    Hand,
    Random,
}

/// A number to be computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Itself.
    Number(f64),
    /// A variable.
    Variable(Name),
    /// The other sign.
    Negative(Box<Expression>),
    /// Not true.
    Not(Box<Expression>),
    /// All bits turned.
    Complement(Box<Expression>),
    /// Two by an operator.
    Binary(Operator, Box<[Expression; 2]>),
    /// A function of numbers.
    Call(Function, Vec<Expression>),
    /// Distance of two locations.
    Distance(Box<[Location; 2]>),
    /// A coordinate of a location: x, y or z by 0, 1, 2.
    Coordinate(usize, Box<Location>),
    /// 0 if the location can be reached, −1 if not.
    InRange(Box<Location>),
}

/// A location to be computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Location {
    /// A location variable; a precision point's name begins with `#`.
    Named(Name),
    /// One in the frame of another, and so on.
    Compound(Vec<Location>),
    /// Current location of the tool.
    Here,
    /// End of the motion in progress.
    Destination,
    /// The frame that moves nothing.
    Null,
    /// The base as set.
    Base,
    /// The tool as set.
    Tool,
    /// Millimetres and degrees: x, y, z, and turns about z, y, z.
    Transformation(Box<[Expression; 6]>),
    /// Moved along the world's axes.
    Shift(Box<Location>, Box<[Expression; 3]>),
    /// Inverted.
    Inverse(Box<Location>),
    /// With its first axis from a to b, c in its plane, its origin at d.
    Frame(Box<[Location; 4]>),
    /// Joint values in degrees and millimetres.
    Precision(Vec<Expression>),
}

impl Location {
    /// Returns `true` if it is joint values.
    pub fn is_precision(&self) -> bool {
        match self {
            Self::Named(name) => name.word.starts_with('#'),
            Self::Precision(_) => true,
            _ => false,
        }
    }
}

/// A word that selects a branch of the arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArmWord {
    Lefty,
    Righty,
    Above,
    Below,
    Flip,
    NoFlip,
}

/// Unit of a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedUnit {
    /// Of the arm's own.
    Percent,
    /// Millimetres a second of the tool.
    MillimetresPerSecond,
}

/// A part of what `TYPE` shows.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeItem {
    /// Literal text.
    Text(String),
    /// A number, in the format that holds.
    Number(Expression),
    /// So many line ends.
    Lines(usize),
    /// So many spaces.
    Spaces(usize),
    /// No line end at the end.
    Stay,
    /// Numbers from here on with so many decimals.
    Decimals(usize),
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A variable takes a value.
    Assign(Name, Expression),
    /// A location takes a value.
    Set(Name, Location),
    /// Goes to a location: straight, or evenly in its joints.
    Move {
        /// Straight.
        straight: bool,
        /// Location.
        to: Location,
    },
    /// Goes to a place before a location, along the tool.
    Approach {
        /// Straight.
        straight: bool,
        /// Before what.
        to: Location,
        /// Distance.
        distance: Expression,
    },
    /// Goes back along the tool.
    Depart {
        /// Straight.
        straight: bool,
        /// Distance.
        distance: Expression,
    },
    /// One joint goes by so much, at a percentage of its speed.
    Drive {
        /// Number of the joint, from 1.
        joint: Expression,
        /// By how much.
        change: Expression,
        /// At what speed.
        speed: Expression,
    },
    /// The arm rests.
    Delay(Expression),
    /// Goes to its ready configuration.
    Ready,
    /// Turns the tool square to the nearest axes.
    Align,
    /// The program waits for the motion.
    Break,
    /// Sets the speed of one motion, or of all from here on.
    Speed {
        /// Amount.
        value: Expression,
        /// Of what.
        unit: SpeedUnit,
        /// From here on.
        always: bool,
    },
    /// Sets exact or loose ends of motions, for one motion or from here on.
    Precise {
        /// They do.
        fine: bool,
        /// From here on.
        always: bool,
    },
    /// The gripper.
    Grip {
        /// Open or close.
        open: bool,
        /// Now; else with the next motion.
        now: bool,
        /// Opening in millimetres.
        amount: Option<Expression>,
    },
    /// Closes the gripper; goes on elsewhere if it holds less than so much.
    Grasp {
        /// Amount.
        least: Expression,
        /// Line to continue at; `None` stops the program.
        otherwise: Option<usize>,
    },
    /// Branch of the arm for the next motion.
    Arm(ArmWord),
    /// Sets the tool.
    Tool(Option<Location>),
    /// Moves the base: x, y, z and a turn about z.
    Base(Option<Box<[Expression; 4]>>),
    /// Signals on, or off if negative.
    Signal(Vec<Expression>),
    /// All signals off.
    Reset,
    /// The program waits until it is true.
    Wait(Expression),
    /// Sets a timer.
    Timer(Expression, Expression),
    /// Goes on elsewhere.
    Jump(usize),
    /// Goes on elsewhere if it is so.
    JumpIf {
        /// Item concerned.
        condition: Expression,
        /// So.
        when: bool,
        /// Location.
        to: usize,
    },
    /// Begins a loop.
    ForBegin {
        /// Slot that stores its end and step.
        slot: usize,
        /// Loop variable.
        variable: Name,
        /// From, to, step.
        range: Box<[Expression; 3]>,
    },
    /// Leaves a loop that is done.
    ForTest {
        /// Its memory.
        slot: usize,
        /// Loop variable.
        variable: Name,
        /// Line to continue at.
        exit: usize,
    },
    /// Counts on.
    ForNext {
        /// Its memory.
        slot: usize,
        /// Loop variable.
        variable: Name,
        /// Line of its test.
        test: usize,
    },
    /// Remembers what a case is of.
    CaseBegin {
        /// Location.
        slot: usize,
        /// Item concerned.
        value: Expression,
    },
    /// Goes on elsewhere if a case is none of these.
    CaseTest {
        /// Its memory.
        slot: usize,
        /// Values.
        values: Vec<Expression>,
        /// Line to continue at.
        otherwise: usize,
    },
    /// Another program.
    Call(String),
    /// Back to the caller.
    Return,
    /// The end of the program.
    Stop,
    /// The end of everything.
    Halt,
    /// Waits for an operator, who is not there.
    Pause,
    /// Shows something.
    Type(Vec<TypeItem>),
    /// Calls a program when a signal comes on (or goes off, if negative).
    React {
        /// Its identifier.
        signal: Expression,
        /// Name of the called program.
        program: String,
        /// Only over programs of lower priority.
        priority: Option<Expression>,
        /// Stops the motion.
        now: bool,
    },
    /// Reacts no more.
    Ignore(Expression),
    /// Nothing.
    Nothing,
}
