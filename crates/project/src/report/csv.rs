//! Comma-separated values.

use std::borrow::Cow;

/// Returns `true` if a spreadsheet would take a cell for a formula; numbers with signs are none.
fn is_formula(text: &str) -> bool {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && (text.trim().is_empty() || !text.split_whitespace().all(is_number))
}

/// A line of comma-separated values (RFC 4180), with its line break. Cells that spreadsheets would run as a formula get
/// an apostrophe in front: names come from files of others.
pub(crate) fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let cell = |text: &str| {
        let text = &*if is_formula(text) { format!("'{text}").into() } else { Cow::Borrowed(text) };
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    cells.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::csv_line;

    #[test]
    fn no_cell_is_a_formula() {
        let line =
            csv_line(["=cmd|calc!A1", "+1+2", "@SUM(A1)", "-2.5", "-1 2 -3", "-", "a-b", "\t=1", "=\"x\""]);
        assert_eq!(line, "'=cmd|calc!A1,'+1+2,'@SUM(A1),-2.5,-1 2 -3,'-,a-b,'\t=1,\"'=\"\"x\"\"\"\n");
    }
}
