//! Robots in their cells: configurations and edges in batches over plain arrays.

mod cell;
mod queries;

pub use queries::{EdgeRecord, noli_robot_check_edges, noli_robot_check_states, noli_robot_clearance};

use crate::border::{Answer, ErrorCode, Failure, In, Out, border, given, optional_text, place, room, text};
use crate::model::MODELS;
use crate::table::{Kind, Table};
use crate::values::{PlacedRecord, PoseRecord, RobotHandle};
use cell::{Extra, RobotCell};
use noli_formats::FileError;
use noli_project::{LoadedRobot, RobotOptions, load_robot, load_srdf, robot_from_urdf, srdf_from_text};
use noli_robot::Srdf;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

pub(crate) static ROBOTS: Table<Arc<RobotCell>> = Table::new(Kind::Robot);

/// The files of a robot; `noli_robot_files` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RobotFiles {
    /// Path of the URDF file, or of a table of Denavit-Hartenberg parameters (`.toml`).
    pub urdf: *const c_char,
    /// Path of the SRDF file with its disabled pairs; may be null.
    pub srdf: *const c_char,
    /// Folder that contains the packages of the meshes; may be null.
    pub packages: *const c_char,
    /// Not 0: links without collision geometry collide by their visual geometry.
    pub visual: i32,
    /// World from the root of the robot.
    pub place: PoseRecord,
}

/// A robot given as text; `noli_robot_texts` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RobotTexts {
    /// Text of the URDF, such as the parameter `robot_description` of ROS.
    pub urdf: *const c_char,
    /// Text of the SRDF with its disabled pairs; may be null.
    pub srdf: *const c_char,
    /// Folder of meshes with relative names; may be null for the current one.
    pub folder: *const c_char,
    /// Folder that contains the packages of the meshes; may be null.
    pub packages: *const c_char,
    /// Not 0: links without collision geometry collide by their visual geometry.
    pub visual: i32,
    /// World from the root of the robot.
    pub place: PoseRecord,
}

fn file(error: FileError) -> Failure {
    Failure::new(ErrorCode::File, error)
}

/// Reads a robot with its meshes.
///
/// # Safety
///
/// The texts of `files` end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_load(files: In<'_, RobotFiles>, out: Out<'_, RobotHandle>) -> ErrorCode {
    border(|| {
        let (files, out) = (given(files, "files")?, place(out, "out")?);
        // SAFETY: as the caller states.
        let (urdf, srdf, packages) = unsafe {
            (
                text(files.urdf, "urdf")?,
                optional_text(files.srdf, "srdf")?,
                optional_text(files.packages, "packages")?,
            )
        };
        let options = options(packages, files.visual);
        let loaded = load_robot(urdf, &options).map_err(file)?;
        let srdf = srdf.map(|path| load_srdf(path, &loaded.robot)).transpose().map_err(file)?;
        keep(&loaded, files.place, srdf.as_ref(), out)
    })
}

/// Creates a robot of the text of its URDF; meshes are read from the files that it names.
///
/// # Safety
///
/// The texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_from_text(
    texts: In<'_, RobotTexts>,
    out: Out<'_, RobotHandle>,
) -> ErrorCode {
    border(|| {
        let (texts, out) = (given(texts, "texts")?, place(out, "out")?);
        // SAFETY: as the caller states.
        let (urdf, srdf, folder, packages) = unsafe {
            (
                text(texts.urdf, "urdf")?,
                optional_text(texts.srdf, "srdf")?,
                optional_text(texts.folder, "folder")?,
                optional_text(texts.packages, "packages")?,
            )
        };
        // The names are those of messages; files of the folder are looked for by what the text names.
        let folder = Path::new(folder.unwrap_or(""));
        let options = options(packages, texts.visual);
        let loaded = robot_from_urdf(urdf, &folder.join("robot.urdf"), &options).map_err(file)?;
        let srdf = srdf.map(|text| srdf_from_text(text, &folder.join("robot.srdf"), &loaded.robot));
        keep(&loaded, texts.place, srdf.transpose().map_err(file)?.as_ref(), out)
    })
}

fn options(packages: Option<&str>, visual: i32) -> RobotOptions {
    RobotOptions {
        packages: packages.into_iter().map(Into::into).collect(),
        visual: visual != 0,
        ..RobotOptions::default()
    }
}

fn keep(
    loaded: &LoadedRobot,
    root: PoseRecord,
    srdf: Option<&Srdf>,
    out: &mut MaybeUninit<RobotHandle>,
) -> Answer<()> {
    let cell = RobotCell::new(loaded, root.pose("the robot")?, srdf)?;
    out.write(RobotHandle { id: ROBOTS.insert(Arc::new(cell))? });
    Ok(())
}

/// Returns the number of independent joints: the numbers of a configuration.
#[unsafe(no_mangle)]
pub extern "C" fn noli_robot_dof(robot: RobotHandle, out: Out<'_, usize>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        out.write(ROBOTS.get(robot.id)?.free.len());
        Ok(())
    })
}

/// Returns the name of an independent joint; valid until the robot is freed.
#[unsafe(no_mangle)]
pub extern "C" fn noli_robot_joint_name(
    robot: RobotHandle,
    joint: usize,
    out: Out<'_, *const c_char>,
) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        let robot = ROBOTS.get(robot.id)?;
        let name = robot.joint_names.get(joint).ok_or_else(|| {
            Failure::value(format!("there is no joint {joint}; give a number below {}", robot.free.len()))
        })?;
        out.write(name.as_ptr());
        Ok(())
    })
}

/// Returns the joint limits: lower and upper of each independent joint, infinite without a limit.
///
/// # Safety
///
/// `limits` has room for twice as many numbers as there are independent joints; `count` is that number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_limits(robot: RobotHandle, limits: *mut f64, count: usize) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let limits = unsafe { room(limits, count, "limits") }?;
        let robot = ROBOTS.get(robot.id)?;
        if count != 2 * robot.free.len() {
            let wanted = 2 * robot.free.len();
            return Err(Failure::value(format!("room for {count} limits; give room for {wanted}")));
        }
        for (pair, &variable) in limits.chunks_exact_mut(2).zip(&robot.free) {
            let range = robot.robot.variables()[variable].limits.range;
            let [lower, upper] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            pair[0].write(lower);
            pair[1].write(upper);
        }
        Ok(())
    })
}

/// Adds an obstacle, or replaces the one of that name.
///
/// # Safety
///
/// `name` is a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_set_obstacle(
    robot: RobotHandle,
    name: *const c_char,
    body: In<'_, PlacedRecord>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let name = unsafe { text(name, "name") }?.to_owned();
        edit(robot, |robot| robot.put(body_of(name, None, body)?))
    })
}

/// Attaches an object to a link, or replaces the one of that name. The pose is in the frame of the link.
///
/// # Safety
///
/// `link` and `name` are texts that end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_attach(
    robot: RobotHandle,
    link: *const c_char,
    name: *const c_char,
    body: In<'_, PlacedRecord>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let (link, name) = unsafe { (text(link, "link")?.to_owned(), text(name, "name")?.to_owned()) };
        edit(robot, |robot| robot.put(body_of(name, Some(link), body)?))
    })
}

fn body_of(name: String, link: Option<String>, body: In<'_, PlacedRecord>) -> Answer<Extra> {
    let body = given(body, "body")?;
    let pose = body.pose.pose(&name)?;
    let model = MODELS.get(body.model.id)?.model.clone();
    Ok(Extra { name, link, model, pose })
}

fn edit(robot: RobotHandle, work: impl FnOnce(&RobotCell) -> Answer<()>) -> Answer<()> {
    work(&*ROBOTS.get(robot.id)?)
}

/// Removes an obstacle or an attached object.
///
/// # Safety
///
/// `name` is a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_remove_body(robot: RobotHandle, name: *const c_char) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let name = unsafe { text(name, "name") }?;
        edit(robot, |robot| robot.take(name))
    })
}

/// Disables a pair of links, obstacles or attached objects.
///
/// # Safety
///
/// `a` and `b` are texts that end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_disable_pair(
    robot: RobotHandle,
    a: *const c_char,
    b: *const c_char,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let (a, b) = unsafe { (text(a, "a")?, text(b, "b")?) };
        edit(robot, |robot| robot.disable(a, b))
    })
}

/// Writes the names of a pair, `a` and `b` with a space between, with a zero byte at the end.
///
/// # Safety
///
/// `buffer` has room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_robot_pair_names(
    robot: RobotHandle,
    pair: usize,
    buffer: *mut c_char,
    capacity: usize,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let buffer = unsafe { room::<u8>(buffer.cast(), capacity, "buffer") }?;
        let cell = ROBOTS.get(robot.id)?.built()?;
        if pair >= cell.pairs().len() {
            return Err(Failure::value(format!("there is no pair {pair}")));
        }
        let names = cell.pair_names(pair).join(" ");
        if names.len() >= buffer.len() {
            let wanted = names.len() + 1;
            return Err(Failure::value(format!("room for {capacity} bytes; give room for {wanted}")));
        }
        for (to, byte) in buffer.iter_mut().zip(names.bytes().chain([0])) {
            to.write(byte);
        }
        Ok(())
    })
}

/// Frees a robot.
#[unsafe(no_mangle)]
pub extern "C" fn noli_robot_free(robot: RobotHandle) -> ErrorCode {
    border(|| ROBOTS.remove(robot.id).map(drop))
}
