//! Files of 3D models that noli does not read, and how to make readable ones of them.

use std::path::Path;

/// Extensions, the name of the format, and what converts it.
const FORMATS: [(&[&str], &str, &str); 9] = [
    (
        &["stpz", "iges", "igs", "brep", "brp"],
        "packed STEP, IGES and BREP files are not read",
        "export STEP, STL or glTF from CAD, or with FreeCAD",
    ),
    (
        &[
            "sldprt",
            "sldasm",
            "catpart",
            "catproduct",
            "ipt",
            "iam",
            "prt",
            "asm",
            "x_t",
            "x_b",
            "xmt_txt",
            "sat",
            "sab",
            "jt",
            "par",
            "psm",
            "3dm",
            "fcstd",
            "f3d",
            "dwg",
            "skp",
        ],
        "the format of this CAD program is not read",
        "export STEP, STL or glTF from the program that made it",
    ),
    (
        &["ifczip", "ifcxml"],
        "packed IFC and IFC as XML are not read",
        "unpack or save it as .ifc, or convert it with IfcConvert (IfcOpenShell) to .obj or .glb",
    ),
    (&["amf"], "AMF is not read", "export STL or OBJ from the slicer or CAD, or convert it with Blender"),
    (
        &["fbx", "blend", "3ds", "max", "ma", "mb", "lwo", "c4d", "abc", "x"],
        "this format of 3D models is not read",
        "convert it with Blender to .glb or .obj",
    ),
    (&["usd", "usda", "usdc", "usdz"], "USD is not read", "convert it with Blender to .glb or .obj"),
    (
        &["wrl", "vrml", "x3d", "x3dv"],
        "VRML and X3D are not read",
        "convert it with MeshLab or Blender to .ply or .obj",
    ),
    (
        &["scene"],
        "a MoveIt planning scene as text is no mesh file",
        "save the scene as YAML or JSON, and give it to `noli robot check --around`",
    ),
    (
        &["urdf", "srdf", "xacro", "sdf"],
        "it describes a robot and is no mesh file",
        "give it to `noli robot check`, or name its mesh files",
    ),
];

/// A 3D format that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Names the format and states that it is not read.
    pub reason: &'static str,
    /// Conversion instructions.
    pub remedy: &'static str,
}

/// Returns the unsupported 3D format that a file has by its extension; `None` for any other file.
pub fn format_of(path: &Path) -> Option<Unsupported> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let found = FORMATS.iter().find(|(extensions, ..)| extensions.contains(&extension.as_str()));
    found.map(|&(_, reason, remedy)| Unsupported { reason, remedy })
}
