//! Generated designs: gears, a case, a lid, a bolt, a robot.

use crate::support::{Folder, write_object};
use noli_scenes::{TriangleSet, cuboid};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A folder with all designs, and one file outside it.
pub(super) fn folder() -> Folder {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("mcp-{}", COUNT.fetch_add(1, Relaxed)));
    let write = |name: &str, text: &str| drop(folder.file(name, text));
    write("secret.obj", &object("secret", &cuboid(glam::DVec3::ONE)));
    write("designs/gear_a.obj", &object("gear_a", &gear()));
    write("designs/gear_b.obj", &object("gear_b", &gear()));
    write("designs/case.toml", CASE);
    write("designs/lid.toml", LID);
    write("designs/bolt.toml", BOLT);
    write("designs/arm.urdf", ARM);
    write("designs/cube.obj", &object("cube", &cuboid(glam::DVec3::ONE)));
    let mut open = cuboid(glam::DVec3::ONE);
    open.triangles.pop();
    write("designs/open.obj", &object("open", &open));
    write("designs/garbage.stl", "solid nothing\nfacet banana\n");
    write("designs/escape.toml", "[[body]]\nname = 'a'\nfile = '../secret.obj'\n");
    folder
}

fn object(name: &str, set: &TriangleSet) -> String {
    let mut text = String::new();
    write_object(&mut text, name, set, 0);
    text
}

/// A gear of 12 teeth about the z axis: root radius 8, tip radius 10, teeth of 12 degrees, the first along x.
fn gear() -> TriangleSet {
    let mut outline = Vec::new();
    for tooth in 0..12 {
        let middle = 30.0 * f64::from(tooth);
        for (offset, radius) in [(-6.0, 8.0), (-6.0, 10.0), (6.0, 10.0), (6.0, 8.0)] {
            let angle = f64::to_radians(middle + offset);
            outline.push(glam::dvec2(angle.cos(), angle.sin()) * radius);
        }
    }
    let count = outline.len() as u32;
    let level = |z: f64| outline.iter().map(move |p| p.extend(z)).collect::<Vec<_>>();
    let mut vertices = level(-1.0);
    vertices.extend(level(1.0));
    vertices.extend([glam::dvec3(0.0, 0.0, -1.0), glam::dvec3(0.0, 0.0, 1.0)]);
    let mut triangles = Vec::new();
    for i in 0..count {
        let j = (i + 1) % count;
        triangles.extend([
            [2 * count, j, i],
            [2 * count + 1, count + i, count + j],
            [i, j, count + j],
            [i, count + j, count + i],
        ]);
    }
    TriangleSet { vertices, triangles }
}

/// A bracket that passes through a wall of its case by 3 mm.
const CASE: &str = "
units = 'mm'
[[body]]
name = 'wall'
box = [100, 4, 60]
pose = { xyz = [0, 50, 0] }
[[body]]
name = 'floor'
box = [100, 100, 4]
pose = { xyz = [0, 0, -34] }
[[body]]
name = 'bracket'
box = [20, 46, 5]
pose = { xyz = [0, 28, 0] }
";

/// A box with a lid on a hinge along x, and a shelf above that blocks it after more than a right angle is free.
const LID: &str = "
units = 'mm'
[[body]]
name = 'tub'
box = [100, 60, 40]
[[body]]
name = 'lid'
box = [100, 60, 4]
pose = { xyz = [0, 0, 22.5] }
[[body]]
name = 'shelf'
box = [100, 10, 10]
pose = { xyz = [0, 30, 75] }
";

/// A bolt that six plates enclose, with play on all sides.
const BOLT: &str = "
units = 'mm'
[[body]]
name = 'bolt'
box = [8, 8, 30]
[[body]]
name = 'top'
box = [30, 30, 4]
pose = { xyz = [0, 0, 20] }
[[body]]
name = 'bottom'
box = [30, 30, 4]
pose = { xyz = [0, 0, -20] }
[[body]]
name = 'left'
box = [4, 30, 35]
pose = { xyz = [-10, 0, 0] }
[[body]]
name = 'right'
box = [4, 30, 35]
pose = { xyz = [10, 0, 0] }
[[body]]
name = 'front'
box = [15, 4, 35]
pose = { xyz = [0, -10, 0] }
[[body]]
name = 'back'
box = [15, 4, 35]
pose = { xyz = [0, 10, 0] }
";

/// A column with an arm of length 1 that turns about z, and a post at 90 degrees.
const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><origin xyz="0 1 0"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="mount"/>
<link name="arm"><collision><origin xyz="0.6 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<joint name="fixed" type="fixed"><parent link="base"/><child link="mount"/></joint>
<joint name="turn" type="revolute"><parent link="mount"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"#;
