//! Parts of bodies that pass through the other body where faces only touch.
//!
//! A part is a set of faces connected through edges. One that has points strictly inside the other solid and
//! points strictly outside passes through its surface, although no face passes through another: walls in a common
//! plane let it through. Parts that do not touch lie wholly on one side.

use super::intersecting_faces::{Copies, meetings};
use super::touch::Touch;
use super::{Pair, start};
use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel};
use crate::pair::start::Start;
use crate::tree::Effort;
use crate::tree::walk::Ended;
use noli_geom::{Mesh, MeshOptions, Shares};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Returns `true` if a part of one body passes through the other; `None` if the budget ran out. `touching` are the
/// touching faces of `pair`, in its order.
pub(super) fn passes_through(
    pair: &Pair<'_>,
    [a, b]: [&MeshAt<'_>; 2],
    touching: &[(u32, u32)],
    context: &mut QueryContext<'_>,
) -> Option<bool> {
    if [a, b].iter().all(|body| body.model.parts().count < 2) {
        return Some(true);
    }
    let (first, second) = pair.in_given_order(a, b);
    for (body, other, side) in [(first, second, 0), (second, first, 1)] {
        if !other.model.is_solid() {
            continue;
        }
        for part in touching_parts(pair, body.model, touching, side) {
            let surface = surface_of(body.model, part)?;
            let surface = MeshAt { model: &surface, world_from_self: body.world_from_self };
            let shares = shares(&surface, other, context)?;
            if shares.both && shares.only_a {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// The parts of one side of a pair that touch the other, in order.
fn touching_parts(pair: &Pair<'_>, model: &MeshModel, touching: &[(u32, u32)], side: usize) -> BTreeSet<u32> {
    let (packed, of_triangle) = ([pair.a.packed, pair.b.packed][side], &model.parts().of_triangle);
    let faces = touching.iter().map(|&(x, y)| [x, y][side]);
    let mut parts = BTreeSet::new();
    for face in faces {
        parts.extend(packed.copies(&face).iter().map(|&copy| of_triangle[copy as usize]));
    }
    parts
}

/// One part as a surface; `None` never, as its faces are those of a mesh.
fn surface_of(model: &MeshModel, part: u32) -> Option<MeshModel> {
    let (mesh, of_triangle) = (&model.mesh, &model.parts().of_triangle);
    let (mut vertices, mut numbers) = (Vec::new(), HashMap::new());
    let own = mesh.triangles().iter().zip(of_triangle).filter(|(_, of)| **of == part);
    let triangles = own.map(|(triangle, _)| {
        triangle.map(|vertex| {
            *numbers.entry(vertex).or_insert_with(|| {
                vertices.push(mesh.vertices()[vertex as usize]);
                vertices.len() as u32 - 1
            })
        })
    });
    let triangles = triangles.collect();
    let surface = Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).ok()?;
    Some(MeshModel::prepared(surface, Effort::Quick))
}

/// The shares of a surface and a solid whose faces only touch; `None` if the budget ran out.
fn shares(surface: &MeshAt<'_>, solid: &MeshAt<'_>, context: &mut QueryContext<'_>) -> Option<Shares> {
    let Start::Ready(pair) = start(surface, solid) else { return None };
    let mut touching = Vec::new();
    let ended = meetings(&pair, Copies::One, context, &mut |x, y, _| {
        touching.push((x, y));
        ControlFlow::Continue(())
    });
    match ended {
        Ended::OutOfBudget => None,
        _ => Touch::new(&pair, surface, solid, &touching, context).shares(context),
    }
}
