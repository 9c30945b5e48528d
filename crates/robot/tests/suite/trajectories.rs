//! Joint paths as tables, YAML and JSON.

use crate::support::*;
use noli_geom::Pose;
use noli_robot::*;
use std::sync::Arc;

fn puma() -> Robot {
    puma560(PumaSet::FuGonzalezLee)
}

fn csv_error(text: &str) -> String {
    JointTable::from_csv_str(text, &puma()).unwrap_err().to_string()
}

fn ros_error(text: &str) -> String {
    JointTable::from_trajectory_str(text, &puma()).unwrap_err().to_string()
}

#[test]
fn tables_are_read_with_what_was_assumed() {
    let text = "\u{feff}time, j3 ,j1_deg,who,note\r\n0.0,0.25,90,a,\"x, \"\"y\"\"\"\r\n\n\
        # later\n1.5,-1e-3,-45,b,\n";
    let table = JointTable::from_csv_str(text, &puma()).unwrap();
    assert_eq!(table.times, Some(vec![0.0, 1.5]));
    assert_eq!(table.rows[0][2], 0.25);
    assert_eq!(table.rows[1][0], -std::f64::consts::FRAC_PI_4);
    assert_eq!(table.assumed_zero, ["j2", "j4", "j5", "j6"]);
    assert_eq!(table.ignored_columns, ["who", "note"]);
    assert_eq!(table.places[1], Place { line: 5, column: 1 });
    let motion = table.motion(Arc::new(puma()), Pose::IDENTITY).unwrap();
    let mut values = [0.0; 6];
    motion.configuration(0.5, &mut values);
    assert!((values[2] - 0.1245).abs() < 1e-12);
}

#[test]
fn errors_name_row_and_column() {
    for (text, message) in [
        ("", "line 1, column 1: a row that names the columns is missing in the table"),
        (
            "a,b\n1,2\n",
            "line 1, column 1: no column is a joint, the first is `a`; name joints in the first row",
        ),
        ("j1,j2,j1\n", "line 1, column 7: the column name `j1` is used twice; names must differ"),
        ("j1,j1_deg\n", "line 1, column 4: the column name `j1_deg` is used twice"),
        (
            "j1,J2\n",
            "line 1, column 4: `heading` names the joint `J2`, which does not exist; did you mean `j2`?",
        ),
        ("j1,j7_deg\n", "line 1, column 4: `heading` names the joint `j7_deg`, which does not exist"),
        ("j1,j2\n1\n", "line 2, column 1: row 1 has 1 cells, the heading has 2"),
        ("j1,j2\n1,2,\n", "line 2, column 1: row 1 has 3 cells, the heading has 2"),
        ("j1,j2\n1,2\n3,é4\n", "line 3, column 3: row 2, column `j2`: `é4` is not a finite number"),
        ("j1,j2\n1,nan\n", "line 2, column 3: row 1, column `j2`: `nan` is not a finite number"),
        ("j1,j2\n1,1e9\n", "line 2, column 1: row 1: `j2` is 1000000000; give a finite number"),
        ("time,j1\n1,0\n1,0\n", "line 3, column 1: the time of row 2, 1 s, does not come after 1 s"),
        ("j1,j2\n\"1,2\n", "line 2, column 1: a quotation mark is never closed; correct the table"),
    ] {
        let found = csv_error(text);
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn a_follower_may_have_a_column_of_its_own() {
    let robot = Robot::from_urdf_str(EVERY_KIND).unwrap();
    let (finger, thumb) = (robot.variable("finger").unwrap(), robot.variable("thumb").unwrap());
    let follows = JointTable::from_csv_str("finger\n0.02\n", &robot).unwrap();
    assert_eq!(follows.rows[0][thumb], -2.0 * 0.02 + 0.01);
    let own = JointTable::from_csv_str("finger,thumb\n0.02,0.5\n", &robot).unwrap();
    assert_eq!((own.rows[0][finger], own.rows[0][thumb]), (0.02, 0.5));
}

const YAML: &str = "header:
  frame_id: world
joint_names: [j1, j2, j6]   # in this order
points:
- positions: [0.0, 0.5, 9]
  velocities: [0, 0, 0]
  time_from_start: {secs: 0, nsecs: 0}
- positions:
  - 1.0
  - -0.5
  - 9
  time_from_start:
    secs: 2
    nsecs: 250000000
---
";

#[test]
fn trajectories_of_ros_in_yaml_and_json() {
    let table = JointTable::from_trajectory_str(YAML, &puma()).unwrap();
    assert_eq!(table.times, Some(vec![0.0, 2.25]));
    assert_eq!(table.rows[1], [1.0, -0.5, 0.0, 0.0, 0.0, 9.0]);
    let json = "{\n\t\"trajectory\": [{\"joint_trajectory\": {\"joint_names\": [\"j1\", \"j2\"],\n\
        \t\t\"points\": [\
        {\"positions\": [0, 1], \"time_from_start\": 0.5},\n\
        {\"positions\": [1e0, 2.5E-1], \"time_from_start\": 1.5}]}}]}";
    let table = JointTable::from_trajectory_str(json, &puma()).unwrap();
    assert_eq!((table.times, table.rows[1][1]), (Some(vec![0.5, 1.5]), 0.25));
    let state = JointTable::from_trajectory_str("name: [j2]\nposition: [0.7]\n", &puma()).unwrap();
    assert_eq!((state.rows[0][1], state.times), (0.7, None));
}

#[test]
fn wrong_trajectories_say_where() {
    for (change, with, message) in [
        ("9]\n  vel", "9, 8]\n  vel", "line 5, column 14: row 1 has 4 cells, the heading has 3"),
        ("0.5, 9", "x.5, 9", "line 5, column 20: row 1, column `j2`: `x.5` is not a finite number"),
        ("- -0.5", "- .nan", "line 10, column 5: row 2, column `j2`: `.nan` is not a finite number"),
        ("secs: 2", "secs: two", "line 13, column 11: `sec`: `two` is not a finite number"),
        ("secs: 2", "secs: -2", "line 8, column 3: the time of row 2, -1.75 s, does not come after 0 s"),
        ("points", "pints", "line 1, column 1: `points` is missing in the trajectory"),
        ("positions:\n", "postions:\n", "line 8, column 3: `positions` is missing"),
        ("[j1, j2, ", "[j1, j1, ", "line 3, column 19: the column name `j1` is used twice"),
        (
            "j6]",
            "jX]",
            "line 3, column 23: `heading` names the joint `jX`, which does not exist; did you mean `j1`?",
        ),
        ("j6]", "gripper]", "line 3, column 23: `heading` names the joint `gripper`, which does not exist"),
        ("header:", "header: *x", "line 1, column 9"),
        ("world\n", "world\n\t- [\n", "line 2, column 13: while scanning"),
        ("---\n", "---\nmore: 1\n", "line 16, column 1: a second document is not read"),
    ] {
        let changed = YAML.replacen(change, with, 1);
        assert_ne!(changed, YAML);
        let found = ros_error(&changed);
        assert!(found.starts_with(message), "{found}");
    }
    assert!(ros_error(&"[".repeat(100_000)).starts_with("line 1, column "));
    let deep = "[".repeat(100);
    let deep = ros_error(&deep);
    assert!(deep.contains("containment deeper than 64"), "{deep}");
    let laughs = "a: &a [x, x]\nb: &b [*a, *a]\n";
    assert!(ros_error(laughs).contains("an alias is not read; write the value out"));
    assert!(ros_error("").contains("a trajectory is missing in the text"));
}

#[test]
fn real_tables_and_requests() {
    let Some(folder) = robots() else { return };
    let panda = Robot::from_urdf_str(&real_robots()[0].1).unwrap();
    let text = std::fs::read_to_string(folder.join("ref-selfcollision-panda.csv")).unwrap();
    let table = JointTable::from_csv_str(&text, &panda).unwrap();
    assert_eq!((table.rows.len(), table.assumed_zero.len(), table.ignored_columns.len()), (200, 0, 4));
    let request = folder.join("../planning/motionbenchmaker/bookshelf_small_panda/request0008.yaml");
    if let Ok(text) = std::fs::read_to_string(request) {
        let start = JointTable::from_trajectory_str(&text, &panda).unwrap();
        assert_eq!(start.rows[0][3], -2.356);
    }
}

#[test]
fn mutated_trajectories_never_panic() {
    let mut random = Random::new(77);
    let robot = puma();
    let csv = "time,j1,j2_deg,\"a,b\"\n0,1,2,\"x\"\n1,2,3,y\n";
    let words = [
        "nan", "\"", "[", "{", "}", ":", "- ", "&a", "*a", "\n", "\t", "1e999", "é", "---\n", "? ", "|\n",
        "#",
    ];
    let start = std::time::Instant::now();
    let (mut good, mut all) = (0, 0);
    while all < 20_000 && start.elapsed().as_secs() < 20 {
        all += 1;
        let source = if all % 2 == 0 { YAML } else { csv };
        let mut bytes = source.as_bytes().to_vec();
        mutate(&mut bytes, &words, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        let table = if all % 2 == 0 {
            JointTable::from_trajectory_str(&text, &robot)
        } else {
            JointTable::from_csv_str(&text, &robot)
        };
        good += usize::from(table.is_ok());
        if let Ok(table) = table {
            let _ = table.motion(Arc::new(robot.clone()), Pose::IDENTITY);
        }
    }
    eprintln!("{good} of {all} mutants were still trajectories");
    assert!(good > 100 && good < all);
}
