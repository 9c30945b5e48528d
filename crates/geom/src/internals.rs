//! Building blocks of noli's engine, not needed by users of shapes and poses. Sound and documented, but
//! they change whenever the engine changes.

pub use crate::hausdorff::{Faces, HausdorffQuery, Part, hausdorff};
pub use crate::hull::Eight;
pub use crate::rank::{Greatest, Least, Ranked};
pub use crate::shape::{Spheres, UserBody};
pub use crate::sort::{sort_by, sort_by_key};
pub use crate::volume::{Minimum, inscribed_box, inscribed_sphere, nelder_mead};
