//! Scenes as text, in the format of scene files: for content that an assembly of meshes cannot express.

/// A scene in the format of a scene file.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Its name.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    /// The contents of the file, which names no other.
    pub text: &'static str,
}

/// All bundled scenes that are not assemblies of meshes.
pub fn written() -> &'static [Written] {
    &[Written {
        name: "knob-through-plate",
        description: "A formula, a mesh and a true sphere: a bumpy knob falls through a plate's hole onto the sphere",
        text: include_str!("knob_through_plate.toml"),
    }]
}
