//! Changes to the text of a cell, which keeps its comments and order.

use crate::save::pose_table;
use crate::trouble::Trouble;
use noli::Pose;
use noli_formats::Units;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// The text of a cell that can be changed.
pub(crate) struct CellText {
    document: DocumentMut,
    units: Units,
}

impl CellText {
    /// Reads the text of a cell.
    pub(crate) fn read(text: &str) -> Result<Self, Trouble> {
        let wrong =
            |error: String| Trouble::new(format!("the cell does not read: {error}"), "correct its file");
        let document = text.parse().map_err(|error: toml_edit::TomlError| wrong(error.to_string()))?;
        let cell =
            noli_project::cell::parse_cell(text.as_bytes()).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { document, units: cell.scene.units })
    }

    /// The changed text.
    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// A length in metres, in the unit of the file.
    fn length(&self, metres: f64) -> f64 {
        Units::Metre.convert(metres, self.units)
    }

    fn pose(&self, pose: &Pose) -> Item {
        let pose = Pose::new(pose.rotation, pose.translation.map(|x| self.length(x)));
        Item::Value(Value::InlineTable(pose_table(&pose)))
    }

    /// Adds a body: its name, its shape as keys and values with lengths in metres, and its pose.
    pub(crate) fn add_body(
        &mut self,
        name: &str,
        shape: impl FnOnce(&dyn Fn(f64) -> f64) -> Vec<(&'static str, Value)>,
        pose: &Pose,
    ) -> Result<(), Trouble> {
        let mut table = Table::new();
        table.insert("name", toml_edit::value(name));
        for (key, value) in shape(&|metres| self.length(metres)) {
            table.insert(key, Item::Value(value));
        }
        table.insert("pose", self.pose(pose));
        tables(&mut self.document, "body")?.push(table);
        Ok(())
    }

    fn body(&mut self, name: &str) -> Result<&mut Table, Trouble> {
        let none = || {
            let text = format!("{name} has no entry of its own in the file of the cell");
            Trouble::new(text, "select a body that was added alone, or edit the file")
        };
        let bodies = self.document.get_mut("body").and_then(Item::as_array_of_tables_mut).ok_or_else(none)?;
        bodies.iter_mut().find(|table| named(table, name)).ok_or_else(none)
    }

    /// Places a body that has an entry of its own.
    pub(crate) fn place_body(&mut self, name: &str, pose: &Pose) -> Result<(), Trouble> {
        let pose = self.pose(pose);
        let body = self.body(name)?;
        if body.contains_key("parent") {
            let text = format!("{name} is attached to another body");
            return Err(Trouble::new(text, "place that one, or edit the file"));
        }
        body.insert("pose", pose);
        Ok(())
    }

    /// Removes a body that has an entry of its own, with the rules that name it.
    pub(crate) fn remove_body(&mut self, name: &str) -> Result<(), Trouble> {
        self.body(name)?;
        if let Some(bodies) = self.document.get_mut("body").and_then(Item::as_array_of_tables_mut) {
            bodies.retain(|table| !named(table, name));
        }
        self.forget_rules(|part| part == name);
        Ok(())
    }

    /// Adds a robot under a name, with the keys of its description.
    pub(crate) fn add_robot(
        &mut self,
        name: &str,
        keys: &[(&str, &str)],
        base: &Pose,
    ) -> Result<(), Trouble> {
        let mut table = Table::new();
        table.insert("name", toml_edit::value(name));
        for (key, value) in keys {
            table.insert(key, toml_edit::value(*value));
        }
        table.insert("base", self.pose(base));
        self.robots()?.push(table);
        Ok(())
    }

    /// The robots as a list, also where the only one is a table.
    fn robots(&mut self) -> Result<&mut ArrayOfTables, Trouble> {
        if let Some(item) = self.document.get_mut("robot")
            && let Some(table) = item.as_table()
        {
            let mut table = table.clone();
            table.set_position(None);
            *item = Item::ArrayOfTables(std::iter::once(table).collect());
        }
        tables(&mut self.document, "robot")
    }

    fn robot(&mut self, number: usize) -> Result<&mut Table, Trouble> {
        let none = || Trouble::new("there is no such robot", "reload the page");
        match self.document.get_mut("robot").ok_or_else(none)? {
            Item::Table(table) if number == 0 => Ok(table),
            Item::ArrayOfTables(tables) => tables.get_mut(number).ok_or_else(none),
            _ => Err(none()),
        }
    }

    /// Places the base of a robot.
    pub(crate) fn place_robot(&mut self, number: usize, base: &Pose) -> Result<(), Trouble> {
        let base = self.pose(base);
        self.robot(number)?.insert("base", base);
        Ok(())
    }

    /// Sets the frame of the tool on the flange of the first robot.
    pub(crate) fn set_tool(&mut self, flange_from_tool: &Pose) -> Result<(), Trouble> {
        let tool = self.pose(flange_from_tool);
        self.robot(0)?.insert("tool", tool);
        Ok(())
    }

    /// Removes a robot, with the rules that name its links.
    pub(crate) fn remove_robot(&mut self, number: usize) -> Result<(), Trouble> {
        let name = self.robot(number)?.get("name").and_then(Item::as_str).map(str::to_owned);
        let robots = self.robots()?;
        if robots.len() < 2 {
            return Err(Trouble::new("the cell has no other robot", "add one first"));
        }
        robots.remove(number);
        if let Some(name) = name {
            self.forget_rules(|part| part.starts_with(&format!("{name}/")));
        }
        Ok(())
    }

    /// Sets the joint values at which the first robot starts: angles in radians, lengths in metres where `slides`.
    pub(crate) fn set_start(&mut self, values: &[(f64, bool)]) -> Result<(), Trouble> {
        let values: Vec<f64> =
            values.iter().map(|&(value, slides)| if slides { self.length(value) } else { value }).collect();
        let robot = self.robot(0)?;
        robot.remove("start_deg");
        robot.insert("start_rad", toml_edit::value(Array::from_iter(values)));
        Ok(())
    }

    /// Names the program of the cell.
    pub(crate) fn set_program(&mut self, file: &str) {
        self.document.insert("program", toml_edit::value(file));
    }

    /// Writes taught locations; see [`crate::save::write_locations`].
    pub(crate) fn set_locations(
        &mut self,
        taught: &[(String, Option<crate::save::WrittenLocation>)],
    ) -> Result<(), Trouble> {
        crate::save::write_locations(&mut self.document, taught, self.units)
    }

    fn collisions(&mut self) -> Result<&mut dyn TableLike, Trouble> {
        let entry = self.document.entry("collisions").or_insert(Item::Table(Table::new()));
        let wrong = || Trouble::new("`collisions` of the cell is no table", "correct its file");
        entry.as_table_like_mut().ok_or_else(wrong)
    }

    /// Sets the margin of all pairs, in metres.
    pub(crate) fn set_margin(&mut self, metres: f64) -> Result<(), Trouble> {
        let margin = self.length(metres);
        self.collisions()?.insert("margin", toml_edit::value(margin));
        Ok(())
    }

    /// Drops what the file states about a pair by both names.
    pub(crate) fn forget_pair(&mut self, pair: [&str; 2]) {
        let is_it = |found: &[String; 2]| {
            let [a, b] = found.each_ref().map(String::as_str);
            [a, b] == pair || [b, a] == pair
        };
        self.retain_rules(|found| !is_it(found));
    }

    /// Disables a pair, for a reason.
    pub(crate) fn disable_pair(&mut self, pair: [&str; 2], reason: &str) -> Result<(), Trouble> {
        self.forget_pair(pair);
        let entry = Array::from_iter([pair[0], pair[1], reason]);
        list(self.collisions()?, "skip")?.push(Value::Array(entry));
        Ok(())
    }

    /// Enables a pair that is disabled otherwise, with the margin of all.
    pub(crate) fn check_pair(&mut self, pair: [&str; 2]) -> Result<(), Trouble> {
        let collisions = self.collisions()?;
        let margin = collisions.get("margin").and_then(number).unwrap_or(0.0);
        let mut entry = InlineTable::new();
        entry.insert("pair", Value::Array(Array::from_iter(pair)));
        entry.insert("margin", Value::from(margin));
        list(collisions, "margins")?.push(Value::InlineTable(entry));
        Ok(())
    }

    /// Drops rules about parts that are there no more.
    fn forget_rules(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.retain_rules(|pair| !pair.iter().any(|part| is_gone(part)));
    }

    fn retain_rules(&mut self, keeps: impl Fn(&[String; 2]) -> bool) {
        let Some(collisions) = self.document.get_mut("collisions").and_then(Item::as_table_like_mut) else {
            return;
        };
        let pair = |value: &Value| -> Option<[String; 2]> {
            let array = value.as_array().or_else(|| value.as_inline_table()?.get("pair")?.as_array())?;
            Some([array.get(0)?.as_str()?.to_owned(), array.get(1)?.as_str()?.to_owned()])
        };
        for key in ["skip", "margins"] {
            if let Some(list) = collisions.get_mut(key).and_then(Item::as_array_mut) {
                list.retain(|value| pair(value).is_none_or(|pair| keeps(&pair)));
            }
        }
    }
}

fn named(table: &Table, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

/// A number, whole or not.
fn number(item: &Item) -> Option<f64> {
    item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64))
}

fn tables<'a>(document: &'a mut DocumentMut, key: &str) -> Result<&'a mut ArrayOfTables, Trouble> {
    let entry = document.entry(key).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let wrong =
        || Trouble::new(format!("the cell has `{key}` in one line"), format!("write each as [[{key}]]"));
    entry.as_array_of_tables_mut().ok_or_else(wrong)
}

fn list<'a>(table: &'a mut dyn TableLike, key: &str) -> Result<&'a mut Array, Trouble> {
    if table.get(key).is_none() {
        table.insert(key, toml_edit::value(Array::new()));
    }
    let wrong = || Trouble::new(format!("`{key}` of the cell is no list"), "correct its file");
    table.get_mut(key).and_then(Item::as_array_mut).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const CELL: &str = "units = \"mm\" # kept\n\n[robot] # the arm\nurdf = \"arm.urdf\"\n\n\
        [collisions]\nmargin = 2\nskip = [[\"a\", \"b\", \"by design\"], [\"two/x\", \"a\"]]\n";

    #[test]
    fn bodies_robots_and_pairs_change_and_comments_stay() {
        let at = |x: f64| Pose::from_translation(DVec3::X * x);
        let mut cell = CellText::read(CELL).unwrap();
        cell.add_body(
            "post",
            |mm| vec![("box", Value::Array([mm(0.1), mm(0.2), mm(0.3)].into_iter().collect()))],
            &at(0.5),
        )
        .unwrap();
        cell.add_robot("two", &[("urdf", "arm.urdf")], &at(1.0)).unwrap();
        cell.place_robot(0, &at(0.25)).unwrap();
        cell.disable_pair(["b", "a"], "they share a bearing").unwrap();
        cell.check_pair(["a", "c"]).unwrap();
        let text = cell.text();
        assert!(text.contains("# kept"), "{text}");
        let read =
            noli_project::cell::parse_cell(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.scene.bodies[0].pose.translation.x, 500.0);
        assert_eq!((read.robots.len(), read.robots[0].base.translation.x), (2, 0.25));
        assert_eq!((read.robots[1].prefix.as_str(), read.robots[1].base.translation.x), ("two/", 1.0));
        let reasons: Vec<&str> = read.rules.iter().map(|rule| rule.reason.as_str()).collect();
        assert_eq!(reasons, ["said in the cell file", "they share a bearing", ""]);
        assert_eq!(read.rules[2].margin, Some(0.0), "beyond the margin of all");
        cell.place_body("post", &at(0.125)).unwrap();
        cell.remove_robot(1).unwrap();
        cell.forget_pair(["a", "b"]);
        let read = noli_project::cell::parse_cell(cell.text().as_bytes()).unwrap();
        assert_eq!(
            (read.robots.len(), read.rules.len()),
            (1, 1),
            "rules about its links went with the robot"
        );
        assert_eq!(read.scene.bodies[0].pose.translation.x, 125.0);
        assert!(cell.remove_robot(0).is_err() && cell.place_body("other", &at(0.0)).is_err());
        cell.remove_body("post").unwrap();
        assert!(noli_project::cell::parse_cell(cell.text().as_bytes()).unwrap().scene.bodies.is_empty());
    }
}
