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
    let mut rest = raw;
    while let Some((&byte, next)) = rest.split_first() {
        if let [b'\\', b'X', b'\\', high, low, after @ ..] = rest {
            text.extend(hex(&[*high, *low]).and_then(char::from_u32));
            rest = after;
        } else if let [b'\\', b'X', width @ (b'2' | b'4'), b'\\', digits @ ..] = rest {
            let end = digits.windows(4).position(|w| w == b"\\X0\\").unwrap_or(digits.len());
            let (digits, after) = digits.split_at_checked(end).unwrap_or((digits, &[]));
            if *width == b'2' {
                let units = digits.chunks(4).filter_map(hex).filter_map(|unit| u16::try_from(unit).ok());
                text.push_str(&String::from_utf16_lossy(&units.collect::<Vec<u16>>()));
            } else {
                text.extend(digits.chunks(8).filter_map(hex).filter_map(char::from_u32));
            }
            rest = after.get(4..).unwrap_or_default();
        } else if let [b'\\', b'S', b'\\', low, after @ ..] = rest {
            text.push(char::from(low | 0x80));
            rest = after;
        } else if let [b'\\', b'P', _, b'\\', after @ ..] = rest {
            rest = after;
        } else if let [b'\\', b'\\', after @ ..] = rest {
            text.push('\\');
            rest = after;
        } else {
            text.push(char::from(byte));
            rest = next;
        }
    }
    text
}
