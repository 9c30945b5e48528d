//! What noli's engine is built from and users of shapes and poses have no need of. Sound and documented, but
//! changed whenever the engine changes.

pub use crate::hausdorff::{Faces, HausdorffQuery, Part, hausdorff};
pub use crate::hull::Eight;
pub use crate::rank::{Greatest, Least, Ranked};
pub use crate::shape::{Balls, UserBody};
pub use crate::volume::{Minimum, inscribed_ball, inscribed_box, nelder_mead};
