//! Named meshes, as files hold them.

use crate::error::Warning;
use noli_geom::Mesh;

/// One object of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMesh {
    /// Its name in the file; the file's own name, without extension, where it has none.
    pub name: String,
    /// Its surface. User vertex and face numbers are those of the whole file, counted from 0; where a
    /// glTF mesh or a DXF block is used several times, its vertices and faces count each time.
    pub mesh: Mesh,
}

/// The curved surfaces of an object as its file gives them.
#[cfg(feature = "step")]
#[derive(Clone, Debug)]
pub struct CurvedBody {
    /// Its faces, in millimetres; shared by all occurrences of a part.
    pub body: std::sync::Arc<noli_brep::Brep>,
    /// Its pose in the file, in millimetres.
    pub pose: noli_geom::Pose,
    /// Length of a millimetre in the unit in which the object is used.
    pub millimetre: f64,
}

#[cfg(feature = "step")]
impl PartialEq for CurvedBody {
    fn eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.body, &other.body)
            && self.pose == other.pose
            && self.millimetre == other.millimetre
    }
}

/// Content of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Its objects, in order of appearance; those without faces are left out.
    pub objects: Vec<NamedMesh>,
    /// Warnings about the file.
    pub warnings: Vec<Warning>,
    /// Uncertainty of the surfaces, in the unit of the file: overlaps up to the sum of two may be absent in the
    /// design. The chordal deviation of STEP, the rounding of placements in IFC; 0 for meshes, which are
    /// taken as given.
    pub uncertainty: f64,
    /// The curved surfaces of the objects, in their order: of STEP files read without a kernel. Empty for others.
    #[cfg(feature = "step")]
    pub curved: Vec<CurvedBody>,
}
