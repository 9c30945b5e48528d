//! The worked examples of the documentation have the verdicts that it states.

use crate::checker::check;

/// The examples of section 16, as bytes.
fn examples() -> Vec<Vec<u8>> {
    let page = include_str!("../../../../docs/certificates.md");
    let (_, section) = page.split_once("## 16. Examples").expect("the section exists");
    let blocks =
        section.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let is_hex = |block: &&str| block.chars().all(|c| c.is_ascii_hexdigit() || c == '\n');
    let byte = |pair: &[char]| {
        let text: String = pair.iter().collect();
        u8::from_str_radix(&text, 16).expect("hexadecimal")
    };
    let bytes = |block: &str| {
        let digits: Vec<char> = block.chars().filter(|c| *c != '\n').collect();
        digits.chunks(2).map(byte).collect()
    };
    blocks.filter(is_hex).map(bytes).collect()
}

/// Replaces bytes that occur once.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at: Vec<usize> = (0..=bytes.len() - from.len()).filter(|&k| bytes[k..].starts_with(from)).collect();
    let [at] = at[..] else { panic!("occurs {} times", at.len()) };
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn documented_examples_are_valid() {
    let examples = examples();
    assert_eq!(examples.len(), 7);
    for (number, example) in examples.iter().enumerate() {
        assert_eq!(check(example), Ok(()), "example 16.{}", number + 1);
    }
}

#[test]
fn documented_variants_have_their_verdicts() {
    let [first, second, third, _, fifth, sixth, seventh] = &examples()[..] else { panic!("seven examples") };
    let verdict = |bytes: Vec<u8>| check(&bytes).map_err(|text| text.split(':').next().map(str::to_owned));
    let code = |code: &str| Err(Some(code.to_owned()));
    // [0, 0, 1] becomes [1, 0, 1].
    assert_eq!(
        verdict(replaced(first, b"\x81\x81\x83\x00\x00\x01", b"\x81\x81\x83\x01\x00\x01")),
        code("E-PLANE")
    );
    let near = replaced(first, b"\xf9\x38\x00", b"\xf9\x3b\x80");
    assert_eq!(verdict(near.clone()), code("E-PLANE"));
    let by_faces = replaced(&near, b"\x81\x81\x83\x00\x00\x01", b"\x81\x83\x00\x01\x83\x00\x00\x01");
    assert_eq!(verdict(by_faces), Ok(()));
    for edge in [b"\x01", b"\x02"] {
        let leaf = [b"\x81\x86\x00\x00\x01\x00".as_slice(), edge, b"\x00"].concat();
        assert_eq!(verdict(replaced(second, b"\x81\x86\x00\x00\x01\x00\x00\x00", &leaf)), code("E-WITNESS"));
    }
    let tree = b"\x83\x00\x81\x83\x20\x02\x00\x81\x83\x21\x05\x00";
    assert_eq!(verdict(replaced(third, tree, b"\x81\x81\x83\x20\x02\x00")), code("E-PLANE"));
    let opened = replaced(third, tree, b"\x83\x00\xf6\x81\x83\x21\x05\x00");
    assert_eq!(verdict(opened.clone()), code("E-OPEN-OBLIGATION"));
    let second_part = b"\x86\x65proof\x00\x00\x00\x81\x00\x81\x81\x83\x20\x02\x00\x82\x63end\x02";
    assert_eq!(verdict(replaced(&opened, b"\x82\x63end\x01", second_part)), Ok(()));
    assert_eq!(
        verdict(replaced(sixth, b"\x69deviation\x81\xf9\x2c\x00", b"\x69deviation\x81\xf9\x38\x00")),
        code("E-PLANE")
    );
    assert_eq!(verdict(replaced(seventh, b"\x81\x81\x02", b"\x81\x81\x03")), code("E-CUT"));
    assert_eq!(verdict(replaced(seventh, b"\x67version\x02", b"\x67version\x01")), code("E-ITEM"));
    assert_eq!(verdict(replaced(fifth, b"\x66inside", b"\x69separated")), code("E-RAY"));
}
