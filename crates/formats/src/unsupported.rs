//! Files of 3D models that noli does not read, and how to make readable ones of them.

use std::path::Path;

/// Extensions, what the format is called, and what converts it.
const FORMATS: [(&[&str], &str); 8] = [
    (&["stpz", "iges", "igs", "brep", "brp"], "export STL or glTF from CAD, or with FreeCAD"),
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
        "export STL or glTF from the program that made it",
    ),
    (
        &["ifczip", "ifcxml"],
        "unpack or save it as .ifc, or convert it with IfcConvert (IfcOpenShell) to .obj or .glb",
    ),
    (&["amf"], "export STL or OBJ from the slicer or CAD, or convert it with Blender"),
    (
        &["dae", "fbx", "blend", "3ds", "max", "ma", "mb", "lwo", "c4d", "abc", "x"],
        "convert it with Blender to .glb or .obj",
    ),
    (&["usd", "usda", "usdc", "usdz"], "convert it with Blender to .glb or .obj"),
    (&["wrl", "vrml", "x3d", "x3dv"], "convert it with MeshLab or Blender to .ply or .obj"),
    (&["urdf", "srdf", "xacro", "sdf"], "it describes a robot: name its mesh files"),
];

/// Returns conversion instructions for a file with the extension of an unsupported 3D format; `None` for any
/// other.
pub fn remedy(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let found = FORMATS.iter().find(|(extensions, _)| extensions.contains(&extension.as_str()));
    found.map(|(_, remedy)| *remedy)
}
