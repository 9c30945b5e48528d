//! Double hierarchies of convex bodies: sound volumes, exact verdicts, and what the printed forms get wrong.

use glam::{DVec3, dvec3};
use noli::{Overlap, Pose, overlap};
use noli_classics::double::*;
use noli_geom::{Aabb, AnyVolume, Polytope, Sphere};
use noli_scenes::{SplitMix64, polyhedra};

/// Every combination of choices.
fn options(depth: usize) -> Vec<DoubleOptions> {
    let mut all = Vec::new();
    for volumes in [DoubleVolumes::Spheres, DoubleVolumes::Boxes] {
        for inner in [InnerFit::Centroid, InnerFit::Largest] {
            for cut in [CutAt::OuterCenter, CutAt::Centroid] {
                for spread in [Spread::Vertices, Spread::Surface, Spread::Volume] {
                    all.push(DoubleOptions { depth, volumes, inner, cut, spread, ..Default::default() });
                }
            }
        }
    }
    all
}

fn unit(body: &Polytope) -> Polytope {
    let reach = body.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    let vertices: Vec<DVec3> = body.vertices.iter().map(|v| *v / reach).collect();
    Polytope::new(vertices, &body.faces.iter().map(|f| f.vertices.clone()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn every_double_tree_checks_out() {
    for one in polyhedra() {
        for options in options(4) {
            for scale in [1.0, 2.0f64.powi(-200), 2.0f64.powi(200)] {
                let vertices = one.body.vertices.iter().map(|v| *v * scale).collect();
                let faces: Vec<Vec<u32>> = one.body.faces.iter().map(|f| f.vertices.clone()).collect();
                let body = Polytope::new(vertices, &faces);
                // Areas of faces of this size leave the range of f64 only far beyond what models may hold.
                let Some(tree) = body.and_then(|body| DoubleTree::new(&body, &options)) else {
                    panic!("{} {options:?} {scale}", one.name)
                };
                tree.check().unwrap_or_else(|error| panic!("{} {options:?} {scale}: {error}", one.name));
            }
        }
    }
}

/// A bounded piece has four faces at least, and a node has one cut for each level above it.
#[test]
fn no_piece_is_interior_above_level_four() {
    for one in polyhedra() {
        let tree = DoubleTree::new(&one.body, &DoubleOptions { depth: 3, ..Default::default() }).unwrap();
        assert_eq!(tree.nodes().len(), 15, "{}", one.name);
        assert!(tree.nodes().iter().all(|node| node.label == Label::Exterior));
    }
    let deep = DoubleOptions { depth: 8, volumes: DoubleVolumes::Boxes, ..Default::default() };
    let cube = DoubleTree::new(&polyhedra()[0].body, &deep).unwrap();
    assert!(cube.nodes().iter().any(|node| node.label == Label::Interior));
    cube.check().unwrap();
}

/// Verdicts are those of the engine's exact query on solids, with and without inner volumes.
#[test]
fn verdicts_are_exact() {
    let bodies: Vec<Polytope> = polyhedra().iter().map(|one| unit(&one.body)).collect();
    let mut random = SplitMix64::new(7);
    let mut by = [0; 3];
    for options in options(3).into_iter().chain(options(6).into_iter().step_by(7)) {
        let trees: Vec<DoubleTree> =
            bodies.iter().map(|body| DoubleTree::new(body, &options).unwrap()).collect();
        for (i, j) in [(0, 0), (4, 2), (4, 3), (1, 2), (0, 6), (6, 6), (5, 1)] {
            for _ in 0..12 {
                let at = Pose::new(random.rotation(), random.direction() * random.between(0.2, 2.0));
                let here = Pose::new(random.rotation(), DVec3::ZERO);
                let (a, b) = (&trees[i], &trees[j]);
                let truth = overlap(&a.model().at(here), &b.model().at(at)) == Overlap::Hit;
                for inner in [true, false] {
                    let found = a.overlap(&here, b, &at, inner);
                    assert_eq!(found.hit.is_some(), truth, "{options:?} {i} {j} {at:?} {here:?}");
                    if let Some(hit) = found.hit {
                        by[hit as usize] += 1;
                    }
                }
            }
        }
    }
    assert!(by[0] > 100 && by[1] > 100, "{by:?}");
}

/// A small cube in a vertex of a large one: its faces cross nothing and no inner spheres meet. The printed algorithms find no contact.
#[test]
fn containment_is_found_where_the_papers_miss_it() {
    let cube =
        |half: f64| Polytope::cuboid(&Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) }).unwrap();
    let options = DoubleOptions::spheres_as_printed();
    let (large, small) =
        (DoubleTree::new(&cube(0.5), &options).unwrap(), DoubleTree::new(&cube(0.01), &options).unwrap());
    let at = Pose::from_translation(DVec3::splat(0.45));
    assert_eq!(large.overlap(&Pose::IDENTITY, &small, &at, true).hit, Some(HitBy::Containment));
    let outside = Pose::from_translation(DVec3::splat(0.52));
    assert_eq!(large.overlap(&Pose::IDENTITY, &small, &outside, true).hit, None);
}

/// The sphere around an interior piece sticks out of it: two that touch do not mean contact, as one paper has it.
#[test]
fn outer_spheres_of_pieces_stick_out_of_the_body() {
    let options = DoubleOptions { depth: 2, ..DoubleOptions::spheres_as_printed() };
    let tree = DoubleTree::new(&polyhedra()[0].body, &options).unwrap();
    let sticks = tree.nodes().iter().any(|node| match node.outer {
        AnyVolume::Sphere(Sphere { center, radius }) => (center.abs() + radius).max_element() > 0.5 + 1e-6,
        _ => false,
    });
    assert!(sticks);
}

/// Axes as printed depend on which diagonal cuts a face: those of a box are then not its edges.
#[test]
fn printed_axes_depend_on_the_triangulation() {
    let body = Polytope::cuboid(&Aabb { min: dvec3(-1.0, -0.9, -0.8), max: dvec3(1.0, 0.9, 0.8) }).unwrap();
    let turned: Vec<Vec<u32>> = body
        .faces
        .iter()
        .enumerate()
        .map(|(i, face)| {
            let mut vertices = face.vertices.clone();
            vertices.rotate_left(i % 2);
            vertices
        })
        .collect();
    let other = Polytope::new(body.vertices.clone(), &turned).unwrap();
    let long_axis = |body: &Polytope, spread| {
        let options = DoubleOptions { depth: 0, spread, volumes: DoubleVolumes::Boxes, ..Default::default() };
        let AnyVolume::Obb(outer) = DoubleTree::new(body, &options).unwrap().nodes()[0].outer else {
            panic!("a box")
        };
        outer.axes.x_axis
    };
    let along_edge = |body, spread| long_axis(body, spread).x.abs() > 1.0 - 1e-9;
    assert!(along_edge(&body, Spread::Volume) && along_edge(&other, Spread::Volume));
    assert_ne!(along_edge(&body, Spread::Vertices), along_edge(&other, Spread::Vertices));
}

/// The largest sphere is never smaller than the one about the centroid.
#[test]
fn chebyshev_spheres_are_at_least_as_large() {
    for one in polyhedra() {
        let tree =
            |inner| DoubleTree::new(&one.body, &DoubleOptions { inner, ..Default::default() }).unwrap();
        let (printed, largest) = (tree(InnerFit::Centroid), tree(InnerFit::Largest));
        for (a, b) in printed.nodes().iter().zip(largest.nodes()) {
            if let (Some(AnyVolume::Sphere(a)), Some(AnyVolume::Sphere(b))) = (a.inner, b.inner) {
                assert!(b.radius >= a.radius * (1.0 - 1e-8), "{}", one.name);
            }
        }
    }
}

/// The printed traversals: the first two triangles of a pair of leaves only, each pair of leaves many times over, no
/// containment; that of the boxes never tells of any contact.
#[test]
fn printed_traversals_lose_contacts() {
    let cube =
        |half: f64| Polytope::cuboid(&Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) }).unwrap();
    let options = DoubleOptions::spheres_as_printed();
    let tree = |body: &Polytope| DoubleTree::new(body, &options).unwrap();
    let here = Pose::IDENTITY;
    let inside = Pose::from_translation(DVec3::splat(0.45));
    let (large, small) = (tree(&cube(0.5)), tree(&cube(0.01)));
    assert!(!large.overlap_as_printed(&here, &small, &inside, Paper::Spheres).contact);
    assert!(!large.overlap_as_printed(&here, &large, &here, Paper::Boxes).contact);
    assert_eq!(large.overlap_as_printed(&here, &large, &here, Paper::Boxes).visits, 1);

    let bodies: Vec<Polytope> = polyhedra().iter().map(|one| unit(&one.body)).collect();
    let trees: Vec<DoubleTree> = [0, 1, 4].map(|i| tree(&bodies[i])).into();
    let (mut random, mut lost, mut most) = (SplitMix64::new(77), 0, 0);
    for round in 0..120 {
        let (a, b) = (&trees[round % 3], &trees[round / 3 % 3]);
        let at = Pose::new(random.rotation(), random.direction() * random.between(0.8, 1.9));
        let printed = a.overlap_as_printed(&here, b, &at, Paper::Spheres);
        let found = a.overlap(&here, b, &at, true);
        // Above level four no piece is interior, so what it tells of is true.
        assert!(!printed.contact || found.hit.is_some(), "{at:?}");
        assert!(printed.faces <= printed.visits);
        lost += usize::from(found.hit.is_some() && !printed.contact);
        most = most.max(printed.most_visits);
    }
    assert!(lost > 0, "{lost}");
    // A pair at level three of both is reached in twenty ways.
    assert!(most >= 20, "{most}");
}

/// The root's boxes as printed lie along the body's axes; the largest inner ones have the known shares of the volume.
#[test]
fn inner_boxes_have_the_known_shares() {
    let options = DoubleOptions { depth: 0, ..DoubleOptions::boxes_as_printed() };
    let (mut shares, mut names) = (Vec::new(), Vec::new());
    for one in polyhedra() {
        let tree = DoubleTree::new(&one.body, &options).unwrap();
        tree.check().unwrap();
        let (AnyVolume::Obb(outer), Some(AnyVolume::Obb(inner))) =
            (tree.nodes()[0].outer, tree.nodes()[0].inner)
        else {
            panic!("boxes")
        };
        assert_eq!(outer.axes, glam::DMat3::IDENTITY);
        let bounds = one.body.aabb();
        assert!((outer.half_extents * 2.0 - bounds.size()).abs().max_element() < 1e-9);
        shares.push(8.0 * inner.half_extents.element_product() / one.body.volume());
        names.push(one.name);
    }
    for known in [1.0, 2.0 / 9.0, 0.25, 0.30463, 0.36756, 0.60698] {
        assert!(shares.iter().any(|share| (share - known).abs() < 1e-4), "{known}: {shares:?} {names:?}");
    }
}

/// Spheres as printed are never smaller than the smallest, and every tree with them checks out and answers exactly.
#[test]
fn spheres_through_four_vertices_are_sound() {
    let mut random = SplitMix64::new(78);
    for one in polyhedra().into_iter().filter(|one| one.body.vertices.len() <= 24) {
        let body = unit(&one.body);
        let (printed, usual) = (DoubleOptions::spheres_as_printed(), DoubleOptions::default());
        let [tree, other] = [&printed, &usual].map(|options| DoubleTree::new(&body, options).unwrap());
        tree.check().unwrap();
        let (AnyVolume::Sphere(a), AnyVolume::Sphere(b)) = (tree.nodes()[0].outer, other.nodes()[0].outer)
        else {
            panic!("spheres")
        };
        assert!(a.radius >= b.radius * (1.0 - 1e-9), "{}", one.name);
        for _ in 0..20 {
            let at = Pose::new(random.rotation(), random.direction() * random.between(0.4, 2.0));
            let [x, y] = [&tree, &other].map(|t| t.overlap(&Pose::IDENTITY, t, &at, true).hit.is_some());
            assert_eq!(x, y);
        }
    }
}

/// A verdict names the nodes that proved it and their level; cut short, it says that nothing is decided.
#[test]
fn verdicts_name_their_nodes_and_keep_to_a_budget() {
    let body = unit(&polyhedra()[4].body);
    let tree = DoubleTree::new(&body, &DoubleOptions { depth: 4, ..Default::default() }).unwrap();
    let (mut random, mut deep, mut undecided) = (SplitMix64::new(79), 0, 0);
    for _ in 0..100 {
        let at = Pose::new(random.rotation(), random.direction() * random.between(0.5, 2.1));
        let whole = tree.overlap(&Pose::IDENTITY, &tree, &at, true);
        assert!(whole.decided);
        assert_eq!(whole.nodes.is_some(), matches!(whole.hit, Some(HitBy::InnerVolumes | HitBy::Faces)));
        if let Some([a, b]) = whole.nodes {
            let levels = [a, b].map(|node| tree.level(node).unwrap());
            assert!(levels.iter().all(|level| *level <= 4));
            deep += usize::from(levels.iter().any(|level| *level > 0));
        }
        let short = tree.overlap_within(&Pose::IDENTITY, &tree, &at, true, &noli::Budget::default().steps(2));
        assert!(!short.decided || short.hit.is_some() == whole.hit.is_some());
        undecided += usize::from(!short.decided);
    }
    assert!(deep > 5 && undecided > 5, "{deep} {undecided}");
    assert_eq!(tree.level(9999), None);
}

/// The parts of every original face add up to its area, at every level of the tree.
#[test]
fn tags_part_the_surface() {
    for one in polyhedra() {
        let tree = DoubleTree::new(&one.body, &DoubleOptions::default()).unwrap();
        let leaves = tree.nodes().iter().filter(|node| node.children.is_empty());
        let area = |vertices: [DVec3; 3]| {
            0.5 * (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).length()
        };
        let mut parts = vec![0.0; one.body.faces.len()];
        for leaf in leaves {
            for (face, vertices) in leaf.piece.triangles() {
                if let Some(origin) = leaf.piece.faces[face].origin {
                    parts[origin as usize] += area(vertices);
                }
            }
        }
        let mut whole = vec![0.0; parts.len()];
        one.body.triangles().for_each(|(face, vertices)| whole[face] += area(vertices));
        for (part, whole) in parts.iter().zip(&whole) {
            assert!((part - whole).abs() < 1e-9 * whole, "{}: {part} {whole}", one.name);
        }
    }
}
