//! The examples of docs/certificates.md, with the verdicts that the page gives.

use noli_verify::{Options, Report, check};

const PAGE: &str = include_str!("../../../docs/certificates.md");

fn examples() -> Vec<Vec<u8>> {
    let blocks = PAGE.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("text\n"));
    let hex = blocks.map(|block| block.split_whitespace().collect::<String>());
    let hex = hex.filter(|block| block.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hex.map(|block| {
        (0..block.len() / 2).map(|k| u8::from_str_radix(&block[2 * k..][..2], 16).unwrap()).collect()
    })
    .collect()
}

fn verdict(data: &[u8]) -> Report {
    check(data, &Options::default().with_threads(2))
}

fn code(data: &[u8]) -> &'static str {
    verdict(data).error.map_or("valid", |error| error.code)
}

/// The content with one part of its bytes replaced, which must be there once.
fn replaced(data: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<usize> =
        (0..=data.len() - from.len()).filter(|&at| data[at..].starts_with(from)).collect();
    let [at] = places[..] else { panic!("{} places", places.len()) };
    [&data[..at], to, &data[at + from.len()..]].concat()
}

#[test]
fn the_files_of_the_page_are_valid() {
    let examples = examples();
    assert_eq!(examples.len(), 7);
    for example in &examples {
        assert_eq!(verdict(example).error, None);
    }
    assert_eq!(verdict(&examples[0]).statements[0].clearance_at_least, Some(0.75));
}

#[test]
fn planes_that_do_not_separate_are_refused() {
    let example = &examples()[0];
    let (plane, tilted) = ([0x81, 0x81, 0x83, 0, 0, 1], [0x81, 0x81, 0x83, 1, 0, 1]);
    assert_eq!(code(&replaced(example, &plane, &tilted)), "E-PLANE");
    // A clearance of 0.9375 is more than that of the box, and less than that of the faces.
    let close = replaced(example, &[0xf9, 0x38, 0x00], &[0xf9, 0x3b, 0x80]);
    assert_eq!(code(&close), "E-PLANE");
    let faces = replaced(&close, &plane, &[0x81, 0x83, 0, 1, 0x83, 0, 0, 1]);
    assert_eq!(verdict(&faces).statements[0].clearance_at_least, Some(1.0));
}

#[test]
fn edges_that_pass_by_are_refused() {
    let example = &examples()[1];
    for edge in 1..3 {
        assert_eq!(
            code(&replaced(example, &[0x86, 0, 0, 1, 0, 0, 0], &[0x86, 0, 0, 1, 0, edge, 0])),
            "E-WITNESS"
        );
    }
}

#[test]
fn an_edge_of_a_robot_may_come_in_parts() {
    let example = &examples()[2];
    let (tree, end) =
        ([0x80, 0x83, 0, 0x81, 0x83, 0x20, 2, 0, 0x81, 0x83, 0x21, 5, 0], [0x63, b'e', b'n', b'd', 1]);
    let whole = replaced(example, &tree, &[0x80, 0x81, 0x81, 0x83, 0x20, 2, 0]);
    assert_eq!(code(&whole), "E-PLANE");
    let first = replaced(example, &tree, &[0x80, 0x83, 0, 0xf6, 0x81, 0x83, 0x21, 5, 0]);
    assert_eq!(code(&first), "E-OPEN-OBLIGATION");
    let second = [&[0x86, 0x65], &b"proof"[..], &[0, 0, 0, 0x81, 0, 0x81, 0x81, 0x83, 0x20, 2, 0]].concat();
    let end_item = [&[0x82], &end[..]].concat();
    let both = replaced(&first, &end_item, &[&second[..], &[0x82], &end[..4], &[2]].concat());
    assert_eq!(code(&both), "valid");
}

#[test]
fn a_solid_inside_is_not_separated() {
    let example = &examples()[4];
    let claim = [&[0x66], &b"inside"[..]].concat();
    assert_eq!(code(&replaced(example, &claim, &[&[0x69], &b"separated"[..]].concat())), "E-RAY");
}

#[test]
fn references_name_directions_of_their_item() {
    let example = &examples()[6];
    let second = [0x81, 0x81, 2];
    for wrong in [&[0x81, 0x81, 3][..], &[0x81, 0x81, 0x20], &[0x81, 0x81, 0xf6], &[0x81, 0x81, 0x18, 0xff]] {
        assert_eq!(code(&replaced(example, &second, wrong)), "E-CUT", "{wrong:?}");
    }
    let none = replaced(example, b"\x82\x81\x81\x83\x00\x01\x00\x81\x81\x02", b"\x80");
    assert_eq!(code(&none), "E-ITEM");
    assert_eq!(code(&replaced(example, b"\x67version\x02", b"\x67version\x01")), "E-ITEM");
    assert_eq!(code(&replaced(example, b"\x67version\x02", b"\x67version\x03")), "E-VERSION");
}

#[test]
fn one_plane_makes_rays_unnecessary() {
    let example = &examples()[4];
    let rays = example.windows(5).position(|bytes| bytes == b"\x64rays").unwrap() - 1;
    let apart = [&example[..rays], b"\x82\x63end\x03"].concat();
    let apart = replaced(&apart, b"\x66inside", b"\x69separated");
    let second = replaced(&apart, b"\x67version\x01", b"\x67version\x02");
    // Several planes show nothing about the inside.
    assert_eq!(code(&second), "E-OPEN-OBLIGATION");
    let far = |data: &[u8]| replaced(data, b"\x64pose\x83\x01\x01\x01", b"\x64pose\x83\x09\x09\x09");
    let cut = b"\x81\x85\x01\x83\x20\x00\x00\x83\x00\x00\x20\x83\x00\x20\x00\x83\x01\x01\x01";
    let plane = |data: &[u8]| replaced(data, cut, b"\x81\x81\x83\x20\x20\x20");
    assert_eq!(code(&plane(&far(&second))), "valid");
    assert_eq!(code(&plane(&far(&apart))), "E-OPEN-OBLIGATION");
}

#[test]
fn every_missing_byte_is_noticed() {
    for example in examples() {
        for length in 0..example.len() {
            assert!(verdict(&example[..length]).error.is_some(), "{length}");
        }
    }
}

#[test]
fn no_changed_byte_ends_the_program() {
    for example in examples() {
        for at in 0..example.len() {
            for change in [1, 2, 0x10, 0x80, 0xff] {
                let mut changed = example.clone();
                changed[at] ^= change;
                let _ = verdict(&changed);
            }
        }
    }
}

#[test]
fn doubles_change_no_verdict() {
    let (rough, exact) =
        (Options::default().with_threads(1), Options::default().with_threads(1).with_exact());
    let code =
        |data: &[u8], options: &Options| check(data, options).error.map_or("valid", |error| error.code);
    for example in &examples() {
        let mut changed = example.clone();
        for at in 0..example.len() {
            for bits in [1, 0x10, 0x81] {
                changed[at] ^= bits;
                assert_eq!(code(&changed, &rough), code(&changed, &exact), "byte {at} by {bits}");
                changed[at] = example[at];
            }
        }
    }
}

#[test]
fn a_curve_is_refused_with_a_larger_deviation_or_pieces_that_do_not_join() {
    let example = &examples()[5];
    let deviation = b"\x69deviation\x81\xf9\x2c\x00";
    assert_eq!(code(&replaced(example, deviation, b"\x69deviation\x81\xf9\x38\x00")), "E-PLANE");
    assert_eq!(code(&replaced(example, deviation, b"\x69deviation\x81\xf9\xac\x00")), "E-HEADER");
    assert_eq!(code(&replaced(example, deviation, b"\x69deviation\x80")), "E-HEADER");
    let curve = b"\x65curve\x81\x84\x81\x00\x81\x00\x81\xf9\x3e\x00\x81\xf9\x3e\x00";
    assert_eq!(
        code(&replaced(example, curve, b"\x65curve\x82\x82\x81\x00\x81\x01\x82\x81\x00\x81\x01")),
        "E-HEADER"
    );
    assert_eq!(code(&replaced(example, curve, b"\x65curve\x81\x81\x81\x00")), "E-HEADER");
    assert_eq!(code(&replaced(example, curve, b"\x65curve\x81\x82\x81\x00\x81\x18\x41")), "E-LIMIT");
}

#[test]
fn more_threads_than_a_machine_can_have_are_not_started() {
    let report = check(&examples()[0], &Options::default().with_threads(usize::MAX));
    assert!(report.error.is_none(), "{:?}", report.error);
}
