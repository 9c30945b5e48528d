//! Comma-separated values.

/// A line of comma-separated values (RFC 4180), with its line break.
pub(crate) fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let cell = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    cells.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}
