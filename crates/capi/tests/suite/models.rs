//! Models of points and of bytes, and the triangles of a model.

use noli::{Mesh, Model, PointCloud, Pose};
use noli_c as c;
use noli_c::{ContextHandle, ErrorCode, ModelHandle, PlacedRecord, PoseRecord};
use noli_testing::Random;
use std::mem::MaybeUninit;

const HERE: PoseRecord = PoseRecord { x: 0.0, y: 0.0, z: 0.0, qx: 0.0, qy: 0.0, qz: 0.0, qw: 1.0 };
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// Returns the handle that a function wrote.
fn model(
    call: impl FnOnce(Option<&mut MaybeUninit<ModelHandle>>) -> ErrorCode,
) -> Result<ModelHandle, ErrorCode> {
    let mut place = MaybeUninit::uninit();
    match call(Some(&mut place)) {
        // SAFETY: functions write their answer whenever they return `Ok`.
        ErrorCode::Ok => Ok(unsafe { place.assume_init() }),
        code => Err(code),
    }
}

fn overlap(a: ModelHandle, b: ModelHandle, at: PoseRecord) -> i32 {
    let (a, b) = (PlacedRecord { model: a, pose: HERE }, PlacedRecord { model: b, pose: at });
    let mut out = MaybeUninit::uninit();
    assert_eq!(c::noli_overlap(ContextHandle { id: 0 }, Some(&a), Some(&b), Some(&mut out)), ErrorCode::Ok);
    // SAFETY: written by the call that returned `Ok`.
    unsafe { out.assume_init() }
}

#[test]
fn points_and_bytes_give_the_verdicts_of_the_library() {
    let mut random = Random::new(5);
    let points: Vec<[f64; 3]> = (0..40).map(|_| random.vector().to_array()).collect();
    let flat: Vec<f64> = points.concat();
    // SAFETY: the arrays have the stated lengths, and the name ends with a zero byte.
    let cloud = model(|out| unsafe { c::noli_model_points(flat.as_ptr(), points.len(), 0.05, out) });
    let cloud = cloud.expect("a cloud");
    // SAFETY: as above.
    let bytes =
        model(|out| unsafe { c::noli_model_bytes(OBJ.as_ptr(), OBJ.len(), c"part.obj".as_ptr(), 1, out) });
    let bytes = bytes.expect("a mesh");
    let vectors = points.iter().map(|point| glam::DVec3::from_array(*point)).collect();
    let of_points =
        Model::new(noli::Shape::Points(PointCloud::new(vectors, 0.05).expect("points"))).expect("a model");
    let vertices =
        [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(glam::DVec3::from_array).to_vec();
    let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mesh = Mesh::from_triangles(vertices, faces, &Default::default()).expect("a mesh");
    let of_mesh = Model::new(mesh.into_solid()).expect("a model");
    let mut hits = 0;
    for _ in 0..500 {
        let at = 2.0 * random.vector();
        let pose = PoseRecord { x: at.x, y: at.y, z: at.z, ..HERE };
        let wanted = noli::overlap(&of_points.at(Pose::IDENTITY), &of_mesh.at(Pose::from_translation(at)));
        let found = overlap(cloud, bytes, pose);
        assert_eq!(found, i32::from(wanted == noli::Overlap::Hit), "{at}");
        hits += found;
    }
    assert!(hits > 20 && hits < 480, "{hits}");
    assert_eq!(c::noli_model_free(cloud), ErrorCode::Ok);
    assert_eq!(c::noli_model_free(bytes), ErrorCode::Ok);
}

#[test]
fn triangles_are_those_of_the_file_and_wrong_data_is_an_error() {
    let read = |text: &str, name: &std::ffi::CStr| {
        // SAFETY: the array has the stated length, and the name ends with a zero byte.
        model(|out| unsafe { c::noli_model_bytes(text.as_ptr(), text.len(), name.as_ptr(), 0, out) })
    };
    let mesh = read(OBJ, c"part.obj").expect("a mesh");
    let mut buffer = c::MeshBuffer {
        vertices: std::ptr::null_mut(),
        vertex_capacity: 0,
        triangles: std::ptr::null_mut(),
        triangle_capacity: 0,
        vertex_count: 0,
        triangle_count: 0,
    };
    // SAFETY: there is no room, as stated.
    assert_eq!(unsafe { c::noli_model_triangles(mesh, Some(&mut buffer)) }, ErrorCode::Ok);
    assert_eq!((buffer.vertex_count, buffer.triangle_count), (4, 4));
    let (mut vertices, mut triangles) = ([9.0; 12], [9; 12]);
    (buffer.vertices, buffer.vertex_capacity) = (vertices.as_mut_ptr(), 4);
    (buffer.triangles, buffer.triangle_capacity) = (triangles.as_mut_ptr(), 4);
    // SAFETY: there is room for four vertices and four triangles.
    assert_eq!(unsafe { c::noli_model_triangles(mesh, Some(&mut buffer)) }, ErrorCode::Ok);
    assert_eq!(vertices[3..6], [1.0, 0.0, 0.0]);
    assert_eq!(triangles, [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
    let mut place = MaybeUninit::uninit();
    assert_eq!(c::noli_model_sphere(1.0, Some(&mut place)), ErrorCode::Ok);
    // SAFETY: written by the call that returned `Ok`.
    let sphere = unsafe { place.assume_init() };
    // SAFETY: there is room for four vertices and four triangles.
    assert_eq!(unsafe { c::noli_model_triangles(sphere, Some(&mut buffer)) }, ErrorCode::Value);
    // SAFETY: a null pointer is an error.
    assert_eq!(unsafe { c::noli_model_triangles(sphere, None) }, ErrorCode::Null);
    assert_eq!(read("v 0 0 0\nf 1 2 9\n", c"bad.obj"), Err(ErrorCode::File));
    assert_eq!(read("hello", c"notes.txt"), Err(ErrorCode::File));
    assert_eq!(read("", c"empty.stl"), Err(ErrorCode::File));
    // SAFETY: null pointers are errors, and NaN is a value.
    unsafe {
        assert_eq!(model(|out| c::noli_model_points(std::ptr::null(), 3, 0.0, out)), Err(ErrorCode::Null));
        assert_eq!(
            model(|out| c::noli_model_points([f64::NAN; 3].as_ptr(), 1, 0.0, out)),
            Err(ErrorCode::Value)
        );
        assert_eq!(model(|out| c::noli_model_points([0.0; 3].as_ptr(), 1, -1.0, out)), Err(ErrorCode::Value));
        let none = model(|out| c::noli_model_bytes(std::ptr::null(), 3, c"a.stl".as_ptr(), 0, out));
        assert_eq!(none, Err(ErrorCode::Null));
    }
    for model in [mesh, sphere] {
        assert_eq!(c::noli_model_free(model), ErrorCode::Ok);
    }
}
