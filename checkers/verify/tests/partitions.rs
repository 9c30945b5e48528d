//! Whatever is added up or counted is a partition: false statements that need a part twice, or one left out.

#[macro_use]
mod support;

use support::{Draft, Item, Triangle, code, crossing, leaf, solid, tetrahedron};

/// A false statement about two solids at rest, and the faces of the second that a forged cover lists once more.
struct Forgery {
    claim: &'static str,
    a: Vec<Triangle>,
    b: Vec<Triangle>,
    place: [f64; 3],
    proof: Item,
    rays: Option<[Item; 2]>,
    doubled: Vec<i64>,
}

impl Forgery {
    fn bytes(&self, version: i64) -> Vec<u8> {
        let mut draft = Draft { version, ..Draft::new() };
        for (index, (triangles, doubled)) in [(&self.a, &[][..]), (&self.b, &self.doubled)].iter().enumerate()
        {
            let (shape, faces) = solid(triangles);
            let listed = (0..faces.len() as i64).chain(doubled.iter().copied()).collect();
            draft.shapes.push(shape);
            draft.items.push(list!["cover", index as i64, list![leaf(&faces, listed)]]);
        }
        draft.add_body("a", 0, 0, self.place);
        draft.add_body("b", 0, 1, [0i64; 3]);
        draft.statements.push(Item::Map(vec![
            ("claim", self.claim.into()),
            ("pairs", [[0i64, 1]].into()),
            ("region", Item::Map(vec![("at", Item::Array(Vec::new()))])),
        ]));
        draft.items.push(list!["proof", 0i64, 0i64, 0i64, list![], self.proof.clone()]);
        if let Some([a, b]) = &self.rays {
            draft.items.push(list!["rays", 0i64, 0i64, a.clone(), b.clone()]);
        }
        draft.bytes()
    }
}

/// A ray over a cover of a single leaf, with a crossing for each of its faces.
fn ray(direction: [f64; 3], faces: usize) -> Item {
    let tokens: Vec<i64> = [0].into_iter().chain(vec![1; faces]).collect();
    list![direction.map(|x| x as i64), tokens]
}

/// The signs of the crossings of a ray with the canonical faces of a mesh.
fn signs(triangles: &[Triangle], p: [f64; 3], d: [f64; 3]) -> Vec<i64> {
    solid(triangles).1.into_iter().map(|face| crossing(p, d, face)).collect()
}

/// Two bodies 5 apart: a face of the large one that is counted twice makes the small one be inside.
fn apart(claim: &'static str) -> Forgery {
    let (big, small) = (tetrahedron([0.0; 3], 8.0, false), tetrahedron([0.0; 3], 1.0, false));
    let (place, d) = ([-5.0, 1.0, 1.0], [1000.0, 137.0, 211.0]);
    let found = signs(&big, place, d);
    assert_eq!(found.iter().sum::<i64>(), 0, "the probe is outside");
    let doubled = vec![found.iter().position(|sign| *sign == 1).unwrap() as i64];
    let far = list![[1i64, 0, 0], [[1i64, 0, 0]]];
    let (proof, rays) = match claim {
        "inside" => (list![list![[1i64, 0, 0]]], Some([list![ray(d, 5)], list![far]])),
        _ => (list![list![0i64, 3i64, 0i64, 0i64, ray(d, 5)]], None),
    };
    Forgery { claim, a: small, b: big, place, proof, rays, doubled }
}

/// A direction with small entries that parts points from a face.
fn plane(points: &[[f64; 3]], face: Triangle) -> [i64; 3] {
    let dot = |n: [i64; 3], p: [f64; 3]| (0..3).map(|k| n[k] as f64 * p[k]).sum::<f64>();
    let all = (0..343).map(|k| [k / 49 - 3, k / 7 % 7 - 3, k % 7 - 3]);
    let parts = |n: &[i64; 3]| {
        let low = face.iter().map(|p| dot(*n, *p)).fold(f64::INFINITY, f64::min);
        points.iter().all(|p| dot(*n, *p) < low)
    };
    all.filter(|n| *n != [0; 3]).find(parts).expect("a plane")
}

/// A small body in the material of a solid with a cavity: a wall of the cavity that is counted twice makes it be outside.
fn buried(claim: &'static str) -> Forgery {
    let hollow = [tetrahedron([0.0; 3], 8.0, false), tetrahedron([1.0; 3], 1.0, true)].concat();
    let (tiny, place, d) = (tetrahedron([0.0; 3], 0.25, false), [0.25; 3], [1000.0, 1009.0, 1021.0]);
    let found = signs(&hollow, place, d);
    assert_eq!(found.iter().sum::<i64>(), 1, "the probe is in the material");
    let twice = found.iter().position(|sign| *sign == -1).unwrap();
    let faces = solid(&hollow).1;
    let corners: Vec<[f64; 3]> =
        (0..8).map(|k: i32| [k & 1, k >> 1 & 1, k >> 2].map(|bit| 0.25 + 0.25 * f64::from(bit))).collect();
    let listed: Vec<usize> = (0..faces.len()).chain([twice]).collect();
    let planes = listed.iter().map(|&face| Item::from(plane(&corners, faces[face])));
    let cut = Item::Array([1i64.into()].into_iter().chain(planes).collect());
    let is_wall = |face: &Triangle| face.iter().flatten().all(|x| (1.0..=2.0).contains(x));
    let first = |wall: bool| faces.iter().position(|face| is_wall(face) == wall).unwrap();
    let mut components = [first(false), first(true)];
    components.sort_unstable();
    let outside = components.map(|face| {
        let n = plane(&corners, [faces[face][0]; 3]);
        list![n, [n]]
    });
    let (proof, rays) = match claim {
        "separated" => (list![cut], Some([list![ray(d, 9)], outside.into()])),
        _ => (list![list![0i64, ray(d, 9)]], None),
    };
    Forgery { claim, a: tiny, b: hollow, place, proof, rays, doubled: vec![twice as i64] }
}

#[test]
fn a_face_that_is_counted_twice_proves_nothing() {
    for forgery in [apart("inside"), apart("colliding"), buried("separated"), buried("not inside")] {
        for version in if forgery.claim == "not inside" { 2..3 } else { 1..3 } {
            assert_eq!(code(&forgery.bytes(version)), "E-COVER", "{} in version {version}", forgery.claim);
        }
        // With each face once the crossings are right, and the claim has no proof.
        let tokens = |item: &Item| -> Item {
            fn shorter(item: &Item) -> Item {
                match item {
                    Item::Array(all) if all.len() == 6 || all.len() == 10 => {
                        all[..all.len() - 1].to_vec().into()
                    }
                    Item::Array(all) => all.iter().map(shorter).collect::<Vec<_>>().into(),
                    other => other.clone(),
                }
            }
            shorter(item)
        };
        let rays = forgery.rays.as_ref().map(|rays| rays.each_ref().map(tokens));
        let honest = Forgery { doubled: Vec::new(), proof: tokens(&forgery.proof), rays, ..forgery };
        let found = code(&honest.bytes(2));
        assert!(["E-RAY", "E-WITNESS"].contains(&found), "{}: {found}", honest.claim);
    }
}

#[test]
fn a_pair_is_disabled_once() {
    let mut draft = Draft::new();
    draft.shapes.push(Item::Map(vec![("kind", "sphere".into()), ("radius", 1i64.into())]));
    for (k, x) in [0i64, 4, 8].into_iter().enumerate() {
        draft.add_body(&k.to_string(), 0, 0, [x, 0, 0]);
    }
    draft.items.push(list!["proof", 0i64, 0i64, 0i64, list![], list![list![[1i64, 0, 0]]]]);
    let with = |disabled: Item| {
        let statement = Item::Map(vec![
            ("claim", "separated".into()),
            ("pairs", [[0i64, 1]].into()),
            ("region", Item::Map(vec![("at", Item::Array(Vec::new()))])),
            ("disabled", disabled),
        ]);
        code(&Draft { statements: vec![statement], ..draft.clone() }.bytes())
    };
    let entry = |a: i64, b: i64| list![a, b, "reason"];
    assert_eq!(with(list![entry(1, 2)]), "valid");
    assert_eq!(with(list![entry(1, 2), entry(2, 1)]), "E-PAIRS");
    assert_eq!(with(list![entry(1, 0)]), "E-PAIRS");
}

/// A file of gzip with stored blocks.
fn packed(flags: u8, name: &[u8], content: &[u8]) -> Vec<u8> {
    let crc = !content.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    });
    let mut file = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255];
    file.extend(name);
    let length = u16::try_from(content.len()).unwrap();
    file.push(1);
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(content);
    file.extend(crc.to_le_bytes());
    file.extend((content.len() as u32).to_le_bytes());
    file
}

#[test]
fn a_compressed_file_is_one_member_and_nothing_else() {
    let mut draft = Draft::new();
    draft.shapes.push(Item::Map(vec![("kind", "sphere".into()), ("radius", 1i64.into())]));
    draft.add_body("a", 0, 0, [0i64, 0, 0]);
    draft.add_body("b", 0, 0, [4i64, 0, 0]);
    draft.statements.push(Item::Map(vec![
        ("claim", "separated".into()),
        ("pairs", [[0i64, 1]].into()),
        ("region", Item::Map(vec![("at", Item::Array(Vec::new()))])),
    ]));
    draft.items.push(list!["proof", 0i64, 0i64, 0i64, list![], list![list![[1i64, 0, 0]]]]);
    let plain = draft.bytes();
    let whole = packed(0, &[], &plain);
    assert_eq!(code(&whole), "valid");
    assert_eq!(code(&packed(8, b"pair.cert\0", &plain)), "valid");
    let halves = [packed(0, &[], &plain[..40]), packed(0, &[], &plain[40..])].concat();
    let wrong = [
        [&whole[..], &[0; 8]].concat(),
        [&whole[..], b"x"].concat(),
        [&whole[..], &packed(0, &[], &[])].concat(),
        halves,
        packed(4, &[0, 0], &plain),
        packed(16, b"a comment\0", &plain),
        packed(2, &[0, 0], &plain),
        packed(1, &[], &plain),
        packed(0x80, &[], &plain),
        packed(8, b"a name without an end", &plain),
    ];
    for (number, file) in wrong.iter().enumerate() {
        assert_eq!(code(file), "E-CBOR", "{number}");
    }
}
