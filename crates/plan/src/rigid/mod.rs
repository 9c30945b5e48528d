//! A part, or several that move as one, among fixed bodies.

mod cast;
mod configurations;
mod space;
mod start;

pub use cast::RigidMemory;
pub use configurations::RigidBlock;
pub(crate) use configurations::contact_of;
pub(crate) use space::Member;
pub use space::RigidSpace;
