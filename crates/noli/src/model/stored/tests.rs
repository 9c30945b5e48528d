use super::*;
use crate::model::ModelOptions;
use crate::tree::Effort;
use noli_scenes::{SplitMix64, TriangleSet};

fn mesh(set: TriangleSet) -> Mesh {
    Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap()
}

fn meshes() -> Vec<Mesh> {
    let one = TriangleSet { triangles: vec![[0, 1, 2]], ..noli_scenes::tetrahedron() };
    let sets = [one, noli_scenes::tetrahedron(), noli_scenes::geodesic(4), noli_scenes::grid_plane(3.0, 5)];
    let mut meshes: Vec<Mesh> = sets.into_iter().map(mesh).collect();
    meshes.push(Mesh::empty());
    meshes
}

/// Formats a model; printed floats differ wherever any bit differs.
fn print(model: &Model) -> String {
    let faces = model.faces().unwrap();
    format!("{:?} {:?}", faces.packed, faces.tree)
}

#[test]
fn loaded_is_stored_bit_for_bit() {
    for mesh in meshes() {
        for effort in [Effort::Full, Effort::Quick] {
            let model = Model::with_options(&mesh, &ModelOptions { effort }).unwrap();
            let bytes = model.store_tree();
            let triangles: Vec<_> = mesh.iter_triangles().collect();
            assert_eq!(bytes.len(), stored_bytes(&model.faces().unwrap().tree, &triangles));
            let loaded = Model::with_stored_tree(&mesh, &bytes).unwrap();
            assert_eq!(print(&loaded), print(&model));
            let moved: Vec<_> = mesh.vertices().iter().map(|&v| v * 1.5).collect();
            assert_eq!(print(&loaded.refit(moved.clone()).unwrap()), print(&model.refit(moved).unwrap()));
        }
    }
}

#[test]
fn stale_and_foreign_files_are_refused() {
    use StoredTreeError::*;
    let [old, new] = [0.3, 0.4].map(|phase| mesh(noli_scenes::bumpy_sphere(3, phase)));
    let bytes = Model::new(&old).unwrap().store_tree();
    let load = |bytes: &[u8]| Model::with_stored_tree(&new, bytes).map(|_| ()).unwrap_err();
    assert_eq!(load(&bytes), OtherMesh);
    assert_eq!(load(b"solid cube"), Foreign);
    assert_eq!(load(&[]), Foreign);
    assert_eq!(load(b"noliTREE"), Length { expected: HEADER + CHECKSUM, found: 8 });
    let mut later = bytes.clone();
    later[8] = 2;
    assert_eq!(load(&later), Version { found: 2, expected: 1 });
    let mut twice = bytes.clone();
    twice.extend(&bytes);
    assert_eq!(load(&twice), Damaged);
    let mut turned = old.triangles().to_vec();
    turned[5].rotate_left(1);
    let turned = Mesh::from_triangles(old.vertices().to_vec(), turned, &Default::default()).unwrap();
    assert_eq!(Model::with_stored_tree(&turned, &bytes).map(|_| ()), Err(OtherMesh));
}

#[test]
fn every_damaged_byte_and_every_cut_is_seen() {
    let mesh = mesh(noli_scenes::geodesic(2));
    let bytes = Model::new(&mesh).unwrap().store_tree();
    let mut rng = SplitMix64::new(1);
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 + (rng.next_u64() % 255) as u8;
        assert!(Model::with_stored_tree(&mesh, &damaged).is_err(), "byte {at}");
        assert!(Model::with_stored_tree(&mesh, &bytes[..at]).is_err(), "cut at {at}");
    }
}

/// Shapes that would send a walk in circles or past the end.
#[test]
fn impossible_shapes_are_refused() {
    let node = |faces, children| TreeNode { faces, children };
    let check = |nodes: Vec<TreeNode>, faces: Vec<u32>| check_shape(&Tree { nodes, faces }, 6);
    let faces = || (0..6).collect::<Vec<u32>>();
    let good = vec![node(0..6, 1..3), node(0..3, 0..0), node(3..6, 0..0)];
    assert_eq!(check(good.clone(), faces()), Ok(()));
    let with = |at: usize, changed: TreeNode| {
        let mut nodes = good.clone();
        nodes[at] = changed;
        nodes
    };
    let spoiled = [
        with(0, node(0..6, 0..2)),
        with(0, node(0..6, 1..4)),
        with(0, node(0..6, 1..2)),
        with(0, node(0..5, 1..3)),
        with(0, node(0..6, 0..0)),
        with(1, node(0..3, 1..3)),
        with(1, node(0..3, 2..4)),
        with(1, node(0..2, 0..0)),
        with(1, node(0..3, 7..7)),
        with(2, node(3..7, 0..0)),
        with(2, node(3..u32::MAX, 0..0)),
        vec![],
    ];
    for nodes in spoiled {
        assert!(check(nodes.clone(), faces()).is_err(), "{nodes:?}");
    }
    assert!(check(good.clone(), vec![0, 1, 2, 3, 4, 4]).is_err());
    assert!(check(good.clone(), vec![0, 1, 2, 3, 4, 6]).is_err());
    assert!(check_shape(&Tree::default(), 0).is_ok());
}
