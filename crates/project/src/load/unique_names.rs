//! Names of bodies, made unique.

use std::collections::HashMap;

/// Numbers names that are there already: `cube`, `cube#2`.
pub(crate) fn make_unique<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names {
        let times = seen.entry(name.clone()).or_default();
        *times = times.saturating_add(1);
        if *times > 1 {
            *name += &format!("#{times}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let mut names = ["cube", "sphere", "cube", "cube"].map(str::to_owned);
        make_unique(names.iter_mut());
        assert_eq!(names, ["cube", "sphere", "cube#2", "cube#3"]);
    }
}
