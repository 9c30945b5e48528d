//! Lines of text broken to the width of a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Columns by which further lines are indented more than the first.
const HANGING: usize = 2;

/// Returns a text with lines broken at spaces, so that they fit into `width` if possible.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let own = line.strip_suffix('\n').unwrap_or(line);
        if visible_width(own) > width {
            wrap_line(own, width, &mut all);
        } else {
            all.push_str(own);
        }
        all.push_str(&line[own.len()..]);
    }
    all
}

fn wrap_line(line: &str, width: usize, all: &mut String) {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let hanging = (indent + HANGING).min(width / 2);
    all.push_str(&line[..indent]);
    let (mut used, mut is_first) = (indent, true);
    for word in line[indent..].split(' ') {
        let own = visible_width(word);
        if !is_first && used + 1 + own > width {
            // Spaces before the break are not seen.
            all.truncate(all.trim_end_matches(' ').len());
            all.push('\n');
            all.push_str(&" ".repeat(hanging));
            used = hanging;
        } else if !is_first {
            all.push(' ');
            used += 1;
        }
        all.push_str(word);
        used += own;
        is_first = false;
    }
}

/// The width of a text without the codes of colours.
fn visible_width(text: &str) -> usize {
    let mut parts = text.split("\x1b[");
    let first = parts.next().map_or(0, |part| part.width());
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, rest)| rest.width())).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let text = "short\n  a line that is longer than the others, by far\nverylongwordwithoutspaces\n";
        let narrow = wrapped(text, 20);
        assert_eq!(
            narrow,
            "short\n  a line that is\n    longer than the\n    others, by far\nverylongwordwithoutspaces\n"
        );
        assert_eq!(wrapped(text, 80), text);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for width in 1..40 {
            assert_eq!(words(&wrapped(text, width)), words(text), "{width}");
        }
    }

    #[test]
    fn colours_have_no_width() {
        let line = "\x1b[31mred word\x1b[0m\n";
        assert_eq!(wrapped(line, 8), line);
        assert_eq!(visible_width("\x1b[1;31m螺栓\x1b[0m"), 4);
    }
}
