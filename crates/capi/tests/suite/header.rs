//! The header declares what the library exports, with the same layout.

use crate::compiler::{Dialect, compile, here, run};
use noli_c as c;
use noli_testing::Folder;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn sources(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else {
            into.push_str(&std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// Names that follow a marker up to an opening parenthesis.
fn names_after<'a>(text: &'a str, marker: &str) -> BTreeSet<&'a str> {
    let names = text.split(marker).skip(1).filter_map(|rest| rest.split_once('('));
    names.map(|(name, _)| name).filter(|name| name.starts_with("noli_")).collect()
}

#[test]
fn header_declares_every_exported_function() {
    let mut rust = String::new();
    sources(&here().join("src"), &mut rust);
    let exported = names_after(&rust, "extern \"C\" fn ");
    let header = std::fs::read_to_string(here().join("include/noli.h")).expect("the header");
    let mut declared = names_after(&header, "noli_status ");
    declared.extend(names_after(&header, "const char *"));
    declared.extend(names_after(&header, "uint32_t "));
    declared.extend(names_after(&header, "size_t "));
    assert!(exported.len() > 50, "{}", exported.len());
    assert_eq!(declared, exported);
}

#[test]
fn records_have_the_layout_of_the_header() {
    macro_rules! sizes {
        ($($name:literal $record:ty,)*) => { [$(($name, size_of::<$record>(), align_of::<$record>()),)*] };
    }
    let records = sizes! {
        "noli_model" c::ModelHandle, "noli_context" c::ContextHandle, "noli_world" c::WorldHandle,
        "noli_robot" c::RobotHandle, "noli_pose" c::PoseRecord, "noli_placed" c::PlacedRecord,
        "noli_mesh_data" c::MeshData, "noli_mesh_buffer" c::MeshBuffer, "noli_bounds" c::Bounds,
        "noli_robot_texts" c::RobotTexts, "noli_clearance_result" c::ClearanceRecord,
        "noli_contact_point" c::ContactRecord, "noli_contact_list" c::ContactList,
        "noli_penetration_result" c::PenetrationRecord, "noli_intersection" c::IntersectionRecord,
        "noli_intersection_list" c::IntersectionList, "noli_ray" c::RayRecord, "noli_ray_hit" c::RayHitRecord,
        "noli_ray_hit_list" c::RayHitList, "noli_motion" c::MotionRecord, "noli_moving" c::MovingRecord,
        "noli_impact_query" c::ImpactOptions, "noli_impact" c::ImpactRecord, "noli_finding" c::FindingRecord,
        "noli_finding_list" c::FindingList, "noli_robot_files" c::RobotFiles, "noli_edge" c::EdgeRecord,
    };
    let lines: String = records
        .iter()
        .map(|(name, ..)| format!("printf(\"{name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));"))
        .collect();
    let source = format!("#include <stdio.h>\n#include \"noli.h\"\nint main(void) {{ {lines} return 0; }}\n");
    let folder = Folder::new("capi_layout");
    let path = folder.file("layout.c", source);
    let Some(program) = compile(&folder, Path::new(&path), Dialect::C, &["-pedantic"]) else { return };
    let wanted: String =
        records.iter().map(|(name, size, align)| format!("{name} {size} {align}\n")).collect();
    assert_eq!(run(&mut Command::new(program)), wanted);
}
