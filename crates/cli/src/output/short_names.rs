//! Names cut to a width: in the part that they share with others, not in the part that differs.

use noli_project::clash::is_ifc_guid;
use std::collections::{BTreeSet, HashMap};
use unicode_width::UnicodeWidthStr as _;

/// Characters of a GlobalId that are kept where names are equal without it.
const GUID_TAIL: usize = 4;

/// Names of one table.
pub(super) struct ShortNames {
    /// By name: without GlobalId, or with its last characters where that is ambiguous.
    plain: HashMap<String, String>,
    /// All of these, sorted.
    sorted: Vec<String>,
    /// The last components of their paths, sorted, each as often as it occurs.
    last: Vec<String>,
    /// Bytes of the path that all begin with.
    common: usize,
}

impl ShortNames {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: BTreeSet<&str> = names.collect();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        names.iter().for_each(|name| *uses.entry(parts(name).0).or_default() += 1);
        let plain = |name: &&str| {
            let (own, guid) = parts(name);
            let plain = match guid {
                Some(guid) if uses[own] > 1 => format!("{own}…{}", &guid[guid.len() - GUID_TAIL..]),
                _ => own.to_owned(),
            };
            ((*name).to_owned(), plain)
        };
        let plain: HashMap<String, String> = names.iter().map(plain).collect();
        let sorted: BTreeSet<String> = plain.values().cloned().collect();
        let sorted: Vec<String> = sorted.into_iter().collect();
        let common = match (sorted.first(), sorted.last()) {
            (Some(first), Some(last)) if first != last => {
                first[..alike(first, last)].rfind('/').map_or(0, |slash| slash + 1)
            }
            _ => 0,
        };
        let mut last: Vec<String> = sorted.iter().map(|name| last_component(name).to_owned()).collect();
        last.sort_unstable();
        Self { plain, sorted, last, common }
    }

    /// Returns a name in at most so many columns.
    pub(super) fn fitted(&self, name: &str, width: usize) -> String {
        if name.width() <= width {
            return name.to_owned();
        }
        let Some(plain) = self.plain.get(name) else { return cut(name, name.len() / 2, width) };
        if plain.width() <= width {
            return plain.clone();
        }
        let own = &plain[self.common.min(plain.len())..];
        if self.common > 0 && own.width() < width {
            return format!("…{own}");
        }
        let last = last_component(plain);
        let shared = shared_beginning(&self.last, last);
        if last.len() < plain.len() && shared < last.len() {
            // The name of an element says more than the path to it. Its beginning and its end are kept, unless that
            // would leave out the part that differs.
            let telling = if shared < width / 4 { last.len() } else { shared };
            return format!("…{}", cut(last, telling, width - 1));
        }
        let shared = shared_beginning(&self.sorted, plain).max(self.common);
        let skipped = plain[..shared.min(plain.len())].rfind('/').map_or(self.common, |slash| slash + 1);
        match &plain[skipped..] {
            own if skipped > 0 && own.width() < width => format!("…{own}"),
            own if skipped > 0 => format!("…{}", cut(own, shared - skipped, width - 1)),
            own => cut(own, shared, width),
        }
    }
}

/// A name without its GlobalId, and the GlobalId.
fn parts(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('/') {
        Some((own, guid)) if is_ifc_guid(guid) => (own, Some(guid)),
        _ => (name, None),
    }
}

/// The name without the path to it.
fn last_component(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

/// Bytes of the longest beginning that a name shares with another of a sorted list: with one of its neighbours.
fn shared_beginning(sorted: &[String], name: &str) -> usize {
    let at = sorted.partition_point(|other| other.as_str() < name);
    let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    neighbours.filter_map(|other| sorted.get(other)).map(|other| alike(name, other)).max().unwrap_or(0)
}

/// Bytes of the common beginning.
fn alike(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y);
    same.map(|(x, _)| x.len_utf8()).sum()
}

/// A name without the middle of what comes before `telling`, or without its end if the rest is too wide.
fn cut(name: &str, telling: usize, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    let tail = &name[telling.min(name.len())..];
    let room = width.saturating_sub(1);
    if tail.width() + room / 3 <= room {
        let head = taken(name.chars(), room / 3);
        let rest: String = taken(name.chars().rev(), room - head.width());
        return format!("{head}…{}", rest.chars().rev().collect::<String>());
    }
    if telling < room / 2 {
        return format!("{}…", taken(name.chars(), room));
    }
    let head = taken(name.chars(), room / 3);
    let rest = taken(tail.chars(), room - head.width());
    format!("{head}…{rest}")
}

/// As many characters as fit.
fn taken(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut text = String::new();
    for character in characters {
        text.push(character);
        if text.width() > width {
            text.pop();
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(names: &[&str], width: usize) -> Vec<String> {
        let short = ShortNames::new(names.iter().copied());
        let all: Vec<String> = names.iter().map(|name| short.fitted(name, width)).collect();
        all.iter().for_each(|name| assert!(name.width() <= width, "{name}"));
        all
    }

    #[test]
    fn global_ids_give_way_first() {
        let names = [
            "Level 1/IfcWall/plumbing wall/1uS5vfZPn9R8PlAaVd73on",
            "Level 1/IfcWindow/W1/2cXV28XOjE6f6irgi0CO28",
            "Level 1/IfcWindow/W1/2cXV28XOjE6f6irgi0CPeU",
        ];
        let short = fitted(&names, 33);
        assert_eq!(
            short,
            ["Level 1/IfcWall/plumbing wall", "Level 1/IfcWindow/W1…CO28", "Level 1/IfcWindow/W1…CPeU"]
        );
        let shorter = fitted(&names, 24);
        assert_eq!(shorter, ["…IfcWall/plumbing wall", "…IfcWindow/W1…CO28", "…IfcWindow/W1…CPeU"]);
        let shortest = fitted(&names, 12);
        assert!(shortest[0].contains("wall") || shortest[0].contains("Wall"), "{shortest:?}");
        assert!(shortest[1].ends_with("CO28") && shortest[2].ends_with("CPeU"), "{shortest:?}");
    }

    /// Walls of two storeys lost their names where no other wall was on their storey.
    #[test]
    fn names_of_elements_are_kept_before_their_paths() {
        let names = [
            "Level 1/IfcWallStandardCase/Basic Wall:Outside wall:352966/2cXV28XOjE6f6irgi0COkg",
            "Level 2/IfcWallStandardCase/Basic Wall:Outside wall:355149/2cXV28XOjE6f6irgi0CO8X",
            "Level 2/IfcSlab/Floor:Generic 150mm:354834/2cXV28XOjE6f6irgi0COD_",
        ];
        let short = fitted(&names, 22);
        assert_eq!(short, ["…Basic …de wall:352966", "…Basic …de wall:355149", "…Floor:…c 150mm:354834"]);
        // The same part in two places is told apart by its path.
        let twice = fitted(&["left/gearbox with ribs/bolt", "right/gearbox with ribs/bolt"], 18);
        assert_ne!(twice[0], twice[1]);
        fitted(&["墙/螺栓螺栓螺栓螺栓螺栓1", "楼/螺栓螺栓螺栓螺栓螺栓2", "楼/板"], 12);
    }

    #[test]
    fn what_tells_names_apart_is_kept() {
        let names =
            ["assembly/left arm/upper bracket M6 plain", "assembly/left arm/upper bracket M6 slotted"];
        let short = fitted(&names, 20);
        assert!(short[0].ends_with("plain") && short[1].ends_with("slotted"), "{short:?}");
        let numbered = fitted(
            &["housing_with_ribs_front_0012_of_the_gearbox", "housing_with_ribs_front_0013_of_the_gearbox"],
            22,
        );
        assert_ne!(numbered[0], numbered[1]);
        // A single name, and wide characters.
        assert_eq!(fitted(&["a very long name of a body"], 12)[0].width(), 12);
        fitted(&["螺栓螺栓螺栓螺栓螺栓1", "螺栓螺栓螺栓螺栓螺栓2"], 12);
    }
}
