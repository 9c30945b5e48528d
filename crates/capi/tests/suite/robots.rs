//! Robots through the C interface against cells of the library.

use noli::{Convex, Model, Pose};
use noli_c as c;
use noli_c::{ErrorCode, ModelHandle, PlacedRecord, PoseRecord, RobotHandle};
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_testing::{Folder, Random};
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::sync::Arc;

const HERE: PoseRecord = PoseRecord { x: 0.0, y: 0.0, z: 0.0, qx: 0.0, qy: 0.0, qz: 0.0, qw: 1.0 };

/// Two links that turn about z, each a box of 1 along x.
const URDF: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.1 0.1"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.1 0.1"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"#;

/// Returns what a function wrote.
fn written<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> ErrorCode) -> Result<T, ErrorCode> {
    let mut place = MaybeUninit::uninit();
    match call(Some(&mut place)) {
        // SAFETY: functions write their answer whenever they return `Ok`.
        ErrorCode::Ok => Ok(unsafe { place.assume_init() }),
        code => Err(code),
    }
}

fn load(urdf: &str) -> Result<RobotHandle, ErrorCode> {
    let urdf = CString::new(urdf).expect("a path");
    let files = c::RobotFiles {
        urdf: urdf.as_ptr(),
        srdf: std::ptr::null(),
        packages: std::ptr::null(),
        visual: 0,
        place: HERE,
    };
    // SAFETY: the texts end with a zero byte.
    written(|out| unsafe { c::noli_robot_load(Some(&files), out) })
}

#[test]
fn states_and_edges_equal_those_of_a_cell() {
    let folder = Folder::new("capi_robot");
    let robot = load(&folder.file("arm.urdf", URDF)).expect("a robot");
    assert_eq!(written(|out| c::noli_robot_dof(robot, out)), Ok(3));
    let post: ModelHandle = written(|out| c::noli_model_sphere(0.3, out)).expect("a model");
    let placed = PlacedRecord { model: post, pose: PoseRecord { x: 0.9, y: 0.9, ..HERE } };
    // SAFETY: the name ends with a zero byte.
    let set =
        |placed: &PlacedRecord| unsafe { c::noli_robot_set_obstacle(robot, c"post".as_ptr(), Some(placed)) };
    assert_eq!(set(&placed), ErrorCode::Ok);

    let kinematics = noli_robot::Robot::from_urdf_str(URDF).expect("a robot");
    let shapes = kinematics.shapes(|file| Err(file.to_owned())).expect("shapes");
    let mut builder = CellBuilder::default();
    builder.add_robot("", Arc::new(kinematics), Pose::IDENTITY, &shapes).expect("a robot");
    let model = Model::new(Convex::sphere(0.3).expect("a sphere")).expect("a model");
    let at = Pose::from_translation(glam::dvec3(0.9, 0.9, 0.0));
    builder.add_obstacle("post", &model, at).expect("an obstacle");
    let cell = builder.build();
    let mut checker = cell.checker();

    let mut random = Random::new(7);
    let count = 2000;
    let states: Vec<f64> = (0..3 * count).map(|_| 3.0 * random.real()).collect();
    let mut verdicts = vec![9; count];
    // SAFETY: the arrays have the stated lengths.
    let code = unsafe { c::noli_robot_check_states(robot, states.as_ptr(), count, verdicts.as_mut_ptr()) };
    assert_eq!(code, ErrorCode::Ok);
    let mut hits = 0;
    for (state, verdict) in states.chunks_exact(3).zip(&verdicts) {
        let hit = matches!(checker.check_state(state).expect("a state"), StateStatus::Hit(_));
        assert_eq!(*verdict, i32::from(hit), "{state:?}");
        hits += usize::from(hit);
    }
    assert!(hits > 50 && hits < count - 50, "{hits}");

    let edges = 200;
    let none = c::EdgeRecord { status: 9, at: 0.0, pair: 0 };
    let mut found = vec![none; edges];
    let (from, to) = (&states[..3 * edges], &states[3 * edges..6 * edges]);
    // SAFETY: the arrays have the stated lengths.
    let code =
        unsafe { c::noli_robot_check_edges(robot, from.as_ptr(), to.as_ptr(), edges, found.as_mut_ptr()) };
    assert_eq!(code, ErrorCode::Ok);
    for ((from, to), edge) in from.chunks_exact(3).zip(to.chunks_exact(3)).zip(&found) {
        let free = checker.check_motion(from, to).expect("an edge") == MotionStatus::Free;
        assert_eq!(edge.status == 0, free, "{from:?} to {to:?}");
    }

    assert_eq!(c::noli_model_free(post), ErrorCode::Ok, "the robot keeps its obstacle");
    assert_eq!(set(&placed), ErrorCode::Handle);
    // SAFETY: the name ends with a zero byte.
    let removed = || unsafe { c::noli_robot_remove_body(robot, c"post".as_ptr()) };
    assert_eq!((removed(), removed()), (ErrorCode::Ok, ErrorCode::Value));
    let bad = [f64::NAN, 0.0, 0.0];
    // SAFETY: the arrays have the stated lengths.
    let code = unsafe { c::noli_robot_check_states(robot, bad.as_ptr(), 1, verdicts.as_mut_ptr()) };
    assert_eq!(code, ErrorCode::Value);
    assert_eq!(c::noli_robot_free(robot), ErrorCode::Ok);
    assert_eq!(c::noli_robot_free(robot), ErrorCode::Handle);
}

#[test]
fn a_robot_of_text_answers_like_that_of_files() {
    let folder = Folder::new("capi_robot_text");
    let srdf = r#"<robot name="arm"><disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
        <disable_collisions link1="lower" link2="hand" reason="Adjacent"/></robot>"#;
    let (urdf_path, srdf_path) = (folder.file("arm.urdf", URDF), folder.file("arm.srdf", srdf));
    let text = |text: &str| CString::new(text).expect("a text");
    let (urdf, srdf) = (text(URDF), text(srdf));
    let texts = c::RobotTexts {
        urdf: urdf.as_ptr(),
        srdf: srdf.as_ptr(),
        folder: std::ptr::null(),
        packages: std::ptr::null(),
        visual: 0,
        place: HERE,
    };
    // SAFETY: the texts end with a zero byte.
    let of_text = written(|out| unsafe { c::noli_robot_from_text(Some(&texts), out) }).expect("a robot");
    let (urdf_path, srdf_path) = (text(&urdf_path), text(&srdf_path));
    let files = c::RobotFiles {
        urdf: urdf_path.as_ptr(),
        srdf: srdf_path.as_ptr(),
        packages: std::ptr::null(),
        visual: 0,
        place: HERE,
    };
    // SAFETY: the texts end with a zero byte.
    let of_files = written(|out| unsafe { c::noli_robot_load(Some(&files), out) }).expect("a robot");
    let mut random = Random::new(8);
    let (count, mut random_number) = (2000, || 3.0 * random.real());
    let states: Vec<f64> = (0..3 * count).map(|_| random_number()).collect();
    let post: ModelHandle = written(|out| c::noli_model_sphere(0.3, out)).expect("a model");
    let placed = PlacedRecord { model: post, pose: PoseRecord { x: 0.9, y: 0.9, ..HERE } };
    let verdicts = [of_text, of_files].map(|robot| {
        // SAFETY: the name ends with a zero byte.
        let set = unsafe { c::noli_robot_set_obstacle(robot, c"post".as_ptr(), Some(&placed)) };
        assert_eq!(set, ErrorCode::Ok);
        let mut verdicts = vec![9; count];
        // SAFETY: the arrays have the stated lengths.
        let code =
            unsafe { c::noli_robot_check_states(robot, states.as_ptr(), count, verdicts.as_mut_ptr()) };
        assert_eq!(code, ErrorCode::Ok);
        verdicts
    });
    assert_eq!(verdicts[0], verdicts[1]);
    let hits = verdicts[0].iter().filter(|verdict| **verdict == 1).count();
    assert!(hits > 20 && hits < count - 20, "{hits}");
    let wrong = text("<robot name=\"x\">\n<link nome=\"a\"/></robot>");
    // SAFETY: the texts end with a zero byte.
    let code = written(|out| unsafe {
        c::noli_robot_from_text(Some(&c::RobotTexts { urdf: wrong.as_ptr(), ..texts }), out)
    });
    assert_eq!(code, Err(ErrorCode::File));
    for robot in [of_text, of_files] {
        assert_eq!(c::noli_robot_free(robot), ErrorCode::Ok);
    }
    assert_eq!(c::noli_model_free(post), ErrorCode::Ok);
}

#[test]
fn errors_of_files_name_file_place_and_remedy() {
    let folder = Folder::new("capi_robot_errors");
    let path = folder.file("wrong.urdf", "<robot name=\"x\">\n<link nome=\"a\"/></robot>");
    assert_eq!(load(&path), Err(ErrorCode::File));
    // SAFETY: the message is valid until the next failing call of this thread.
    let message = unsafe { std::ffi::CStr::from_ptr(c::noli_last_error_message()) }.to_string_lossy();
    assert!(message.contains("wrong.urdf") && message.contains('2') && message.contains(';'), "{message}");
    assert_eq!(load("/no/such/file.urdf"), Err(ErrorCode::File));
}
