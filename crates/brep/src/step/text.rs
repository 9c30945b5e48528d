//! Strings of exchange files.

/// The text of `\S\`, `\X\`, `\X2\` and `\X4\`; bytes beyond ASCII are UTF-8 or, failing that, Latin-1.
pub(super) fn decode(raw: &[u8]) -> String {
    if !raw.contains(&b'\\') {
        return match std::str::from_utf8(raw) {
            Ok(text) => text.to_owned(),
            Err(_) => raw.iter().map(|&b| char::from(b)).collect(),
        };
    }
    let hex = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, 16).ok());
    let mut text = String::new();
    let mut at = 0;
    while let Some((&byte, _)) = raw.get(at..).and_then(<[u8]>::split_first) {
        let rest = raw.get(at..).unwrap_or_default();
        if let [b'\\', b'X', b'\\', high, low, ..] = rest {
            text.extend(hex(&[*high, *low]).and_then(char::from_u32));
            at += 5;
        } else if let [b'\\', b'X', width @ (b'2' | b'4'), b'\\', digits @ ..] = rest {
            let width = if *width == b'2' { 4 } else { 8 };
            let count = digits.windows(4).position(|w| w == b"\\X0\\").unwrap_or(digits.len());
            let units: Vec<u32> =
                digits.get(..count).unwrap_or(digits).chunks(width).filter_map(hex).collect();
            if width == 4 {
                let narrow: Vec<u16> = units.iter().map(|&unit| unit as u16).collect();
                text.push_str(&String::from_utf16_lossy(&narrow));
            } else {
                text.extend(units.iter().filter_map(|&unit| char::from_u32(unit)));
            }
            at += (4 + count + 4).min(rest.len());
        } else if let [b'\\', b'S', b'\\', low, ..] = rest {
            text.push(char::from(low | 0x80));
            at += 4;
        } else if let [b'\\', b'P', _, b'\\', ..] = rest {
            at += 4;
        } else if rest.starts_with(b"\\\\") {
            text.push('\\');
            at += 2;
        } else {
            text.push(char::from(byte));
            at += 1;
        }
    }
    text
}
