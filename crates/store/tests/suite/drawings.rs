//! Drawings that become parts and robots.

use noli_store::{ImportOptions, Store};
use noli_testing::Folder;
use std::path::Path;

/// The same cube drawn face by face and as one polyface mesh, one of its faces the wrong way round.
#[test]
fn a_drawing_becomes_a_part_a_link_and_a_robot_that_runs() {
    let folder = Folder::new("drawing");
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    std::fs::write(folder.join("faces.dxf"), drawn_faces(20.0)).unwrap();
    std::fs::write(folder.join("polyface.dxf"), drawn_polyface(20.0)).unwrap();
    let done = store.import(folder.join("faces.dxf"), &ImportOptions::default()).unwrap();
    assert!(done.warnings.iter().any(|text| text.contains("turned round")), "{:?}", done.warnings);
    store.import(folder.join("polyface.dxf"), &ImportOptions::default()).unwrap();
    let [faces, polyface] = ["faces", "polyface"].map(|name| store.component(name).unwrap());
    assert!(faces.closed && polyface.closed);
    assert_eq!((faces.triangles, faces.volume), (polyface.triangles, polyface.volume));
    let composition = "name = \"arm\"\nunits = \"mm\"\n[[part]]\nname = \"foot\"\ncomponent = \"faces\"\n[[part]]\n\
        name = \"hand\"\ncomponent = \"polyface\"\npose = { xyz = [100, 0, 0] }\n[[joint]]\nname = \"turn\"\n\
        kind = \"revolute\"\nfixed = \"foot\"\nmoving = \"hand\"\nrange_deg = [-170, 170]\n";
    assert_eq!(store.compose(composition, false).unwrap(), "arm");
    let wrong =
        composition.replace("fixed = \"foot\"\nmoving = \"hand\"", "fixed = \"hand\"\nmoving = \"foot\"");
    let refused = store.compose(&wrong.replace("\"arm\"", "\"other\""), false).unwrap_err().to_string();
    assert!(refused.contains("list it before the one that moves"), "{refused}");
    store.export("arm", folder.join("arm.urdf"), false).unwrap();
    std::fs::write(
        folder.join("cell.toml"),
        "units = \"mm\"\n[robot]\nurdf = \"arm.urdf\"\n[[body]]\nname = \"wall\"\nbox = [20, 20, 20]\n\
         pose = { xyz = [0, 110, 10] }\n",
    )
    .unwrap();
    let cell = noli_project::cell::load_cell(folder.join("cell.toml")).unwrap();
    let source = noli_project::cell::read_program_text("DRIVE 1, 80, 100", Path::new("turn.val")).unwrap();
    let done =
        noli_program::run::run(&cell.work, &source.programs, &source.main, &Default::default()).unwrap();
    let contact = &done.contacts[0];
    assert_eq!(contact.parts, ["hand".to_owned(), "wall".to_owned()]);
    // Vertices of the hand reach the wall's face at x = 10 mm first.
    assert!(contact.share[1] < 1.0 && contact.point.is_some());
    let report = noli_project::cell::run_report(&cell, &source, &done);
    let id = store.log_run(&report).unwrap();
    let logged = store.runs(10).unwrap();
    assert_eq!((logged[0].id, logged[0].contacts.len(), logged[0].outcome.as_str()), (id, 1, "touching"));
    store.import(folder.join("cell.toml"), &ImportOptions::default()).unwrap();
    store.export("cell", folder.join("again/cell.toml"), false).unwrap();
    assert_eq!(
        store.export("cell", folder.join("still.glb"), false).unwrap().warnings.len(),
        1,
        "no program is named"
    );
    assert!(noli_project::cell::load_cell(folder.join("again/cell.toml")).is_ok());
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

/// A published drawing becomes a part, the part a link, the link a robot that a cell takes straight from the
/// database, and its program an animation: the page in `docs/robots.md`.
#[test]
fn a_published_drawing_becomes_a_robot_that_runs() {
    let Some(drawings) = noli_testing::data("dxf") else { return };
    let folder = Folder::new("published");
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    let options = ImportOptions { name: Some("egg".into()), ..ImportOptions::default() };
    let done = store.import(drawings.join("PinkEggFromLW.dxf"), &options).unwrap();
    let egg = &done.entries[0][1];
    let info = store.component(egg).unwrap();
    assert!(info.triangles > 100, "{info:?}");
    let mesh = store.component_mesh(egg).unwrap();
    let size = mesh.vertices().iter().fold(0.0, |most: f64, v| most.max(v.length()));
    // Scaled by where it is put: the egg's own size away from the axis.
    let composition = format!(
        "name = \"arm\"\nunits = \"mm\"\n[[part]]\nname = \"foot\"\nbox = [1, 1, 1]\n[[part]]\nname = \"hand\"\n\
         component = \"{egg}\"\npose = {{ xyz = [{}, 0, 0] }}\n[[joint]]\nname = \"turn\"\nkind = \"revolute\"\n\
         fixed = \"foot\"\nmoving = \"hand\"\nrange_deg = [-170, 170]\n",
        3.0 * size
    );
    store.compose(&composition, false).unwrap();
    let cell = |pillar: f64| {
        format!(
            "units = \"mm\"\nprogram = \"turn.val\"\n[robot]\nstored = \"arm\"\ndatabase = \"parts.db\"\n\
             [[body]]\nname = \"pillar\"\nbox = [{size}, {size}, {size}]\npose = {{ xyz = [0, {pillar}, 0] }}\n"
        )
    };
    std::fs::write(folder.join("turn.val"), "DRIVE 1, 120, 100\n").unwrap();
    for (pillar, touches) in [(3.0 * size, true), (9.0 * size, false)] {
        std::fs::write(folder.join("cell.toml"), cell(pillar)).unwrap();
        let cell = noli_store::load_cell(folder.join("cell.toml")).unwrap();
        let source = noli_project::cell::RunSource::of_cell(&cell).unwrap();
        let run =
            noli_program::run::run(&cell.work, &source.programs, &source.main, &Default::default()).unwrap();
        let parts = run.contacts.first().map(|contact| contact.parts.clone());
        assert_eq!(parts, touches.then(|| ["hand".to_owned(), "pillar".to_owned()]));
    }
    // What the user says of pairs in the database holds in the cell.
    store.set_pair("arm", ["foot", "hand"], true, Some(0.5 * size / 1000.0), "keep clear").unwrap();
    let loaded = noli_store::load_cell(folder.join("cell.toml")).unwrap();
    let stands = loaded.work.cell(&[], None).unwrap();
    let pair = stands.pair("foot", "hand").unwrap();
    assert!(
        matches!(stands.pairs()[pair].rule, noli_robot::cell::PairRule::Checked { margin } if margin > 0.0)
    );
    // Into the database and out again as pictures, still and moving.
    store.import(folder.join("cell.toml"), &ImportOptions::default()).unwrap();
    for (name, moves) in [(egg.as_str(), false), ("arm", false), ("cell", true)] {
        let target = folder.join("out.glb");
        let written = store.export(name, &target, true).unwrap();
        assert_eq!(written.files, std::slice::from_ref(&target), "{:?}", written.warnings);
        let bytes = std::fs::read(&target).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        assert_eq!(json["animations"][0]["channels"].as_array().map(Vec::len), moves.then_some(2), "{name}");
        assert!(noli_formats::read_objects(&target, &Default::default()).is_ok(), "{name}");
    }
    for (text, words) in
        [("stored = \"arm\"", "stored = \"arms\""), ("parts.db", "none.db")].map(|(old, new)| {
            let wrong = cell(1.0).replace(old, new);
            std::fs::write(folder.join("wrong.toml"), wrong).unwrap();
            let error = noli_store::load_cell(folder.join("wrong.toml")).unwrap_err().to_string();
            (error, if new == "none.db" { "there is no such file" } else { "there is no manipulator `arms`" })
        })
    {
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

const CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn drawn_faces(size: f64) -> String {
    let mut text = "0\nSECTION\n2\nENTITIES\n".to_owned();
    for (number, face) in FACES.iter().enumerate() {
        let mut face = *face;
        if number == 2 {
            face.reverse();
        }
        text += "0\n3DFACE\n8\ncube\n";
        for (k, &vertex) in face.iter().enumerate() {
            for (axis, x) in CORNERS[vertex].iter().enumerate() {
                text += &format!("{}\n{}\n", 10 * (axis + 1) + k, x * size);
            }
        }
    }
    text + "0\nENDSEC\n0\nEOF\n"
}

fn drawn_polyface(size: f64) -> String {
    let mut text = "0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\ncube\n66\n1\n70\n64\n".to_owned();
    for vertex in CORNERS {
        let [x, y, z] = vertex.map(|x| x * size);
        text += &format!("0\nVERTEX\n8\ncube\n10\n{x}\n20\n{y}\n30\n{z}\n70\n192\n");
    }
    for face in FACES {
        text += "0\nVERTEX\n8\ncube\n10\n0\n20\n0\n30\n0\n70\n128\n";
        for (k, vertex) in face.iter().enumerate() {
            text += &format!("{}\n{}\n", 71 + k, vertex + 1);
        }
    }
    text + "0\nSEQEND\n0\nENDSEC\n0\nEOF\n"
}
