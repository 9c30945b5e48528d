//! Files that commands read.

pub(super) const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
<link name="hand"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="upper"/><child link="hand"/>
<origin xyz="0.5 0 0"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"#;

pub(super) const ARM_SRDF: &str = r#"<robot name="arm">
<disable_collisions link1="base" link2="upper" reason="Adjacent"/>
<disable_collisions link1="upper" link2="hand" reason="Adjacent"/>
</robot>
"#;

pub(super) const WALL: &str = r#"units = "m"
[[body]]
name = "wall"
box = [0.1, 2, 2]
pose = { xyz = [1.5, 0, 0] }
"#;

pub(super) const CELL: &str = r#"units = "m"
program = "turn.val"
[robot]
urdf = "arm.urdf"
srdf = "arm.srdf"
flange = "hand"
[speed]
joint_deg = [90, 360]
tool = [0.5, 2]
[[body]]
name = "wall"
box = [0.1, 2, 2]
pose = { xyz = [1.5, 0, 0] }
"#;

pub(super) const TRAY: &str = r#"units = "mm"
[[body]]
name = "tray"
box = [100, 60, 4]
[[body]]
name = "block"
box = [20, 20, 20]
pose = { xyz = [0, 0, 13] }
[[body]]
name = "lid"
box = [100, 60, 4]
pose = { xyz = [0, 0, 26] }
[[group]]
name = "loose"
bodies = ["block"]
[check]
skip = []
[[removal]]
name = "first"
part = "lid"
[[removal]]
name = "second"
part = "block"
after = ["first"]
kind = "straight"
to = { xyz = [0, 0, 60] }
"#;

pub(super) const CAMPAIGN: &str = r#"name = "tray"
count = 64
chunk = 32
question = "clearance"
scene = "tray.toml"
[draw]
kind = "poses"
body = "block"
low = [-5, -5, 90]
high = [5, 5, 99]
"#;

pub(super) const COMPOSED: &str = r#"name = "turntable"
units = "mm"
[[part]]
name = "foot"
component = "wedge"
[[part]]
name = "disc"
component = "wedge"
pose = { xyz = [5, 0, 0] }
[[joint]]
name = "turn"
kind = "revolute"
fixed = "foot"
moving = "disc"
range_deg = [-90, 90]
"#;
