//! Surfaces of bodies: the curved ones of STEP files, and those of meshes and primitives that are compared with them.
//!
//! A solid mesh is a body with plane faces, and a sphere, a cylinder or a cone one with curved faces, so that a pair with a
//! STEP body is decided on the surfaces of both. They are prepared when such a pair comes up.

use super::scene::{Staged, StagedBody};
use noli::model::MeshKind;
use noli::world::BodyId;
use noli::{Mesh, Model, Pose};
use noli_brep::Brep;
use noli_formats::CurvedBody;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Most triangles of a mesh that is compared with curved surfaces: about 20 microseconds and two kilobytes each.
const MAX_TRIANGLES: usize = 50_000;

/// The bodies of a scene whose surfaces are known.
#[derive(Debug, Default)]
pub(crate) struct Surfaces {
    curved: HashMap<BodyId, CurvedBody>,
    exact: HashMap<BodyId, Arc<ExactBody>>,
}

/// A mesh or a primitive, whose surface is known without a file.
#[derive(Debug)]
struct ExactBody {
    model: Model,
    /// Length of a millimetre.
    unit: f64,
    made: OnceLock<Option<CurvedBody>>,
}

impl Surfaces {
    /// The surfaces of the bodies of a scene; of solids alone, or of shells of STEP files too.
    pub(crate) fn new(staged: &Staged, with_shells: bool) -> Self {
        let is_asked = |found: &&CurvedBody| with_shells || found.body.is_solid();
        let own = |body: &StagedBody| Some((body.id, body.curved().filter(is_asked)?.clone()));
        let mut found = Self { curved: staged.bodies.iter().filter_map(own).collect(), ..Self::default() };
        let Some(unit) = staged.bodies.iter().find_map(|body| Some(found.curved.get(&body.id)?.millimetre))
        else {
            return found;
        };
        let mut shared: HashMap<(usize, usize), Arc<ExactBody>> = HashMap::new();
        for body in staged.bodies.iter().filter(|body| is_exact(body)) {
            let Ok(placed) = staged.world.body(body.id) else { continue };
            let model = placed.model().clone();
            let key = model.mesh().map_or((0, body.id.index() as usize), |mesh: &Mesh| {
                (mesh.vertices().as_ptr() as usize, mesh.triangles().as_ptr() as usize)
            });
            let exact = shared.entry(key);
            let exact = exact.or_insert_with(|| Arc::new(ExactBody { model, unit, made: OnceLock::new() }));
            found.exact.insert(body.id, Arc::clone(exact));
        }
        found
    }

    /// The surfaces of two bodies, of which one is curved; `None` if they are not known.
    pub(crate) fn both(&self, pair: [BodyId; 2]) -> Option<[&CurvedBody; 2]> {
        if !self.may_decide(pair) {
            return None;
        }
        let [a, b] = [self.of(pair[0])?, self.of(pair[1])?];
        (a.millimetre == b.millimetre).then_some([a, b])
    }

    /// `false` if the surfaces of two bodies are certainly not known, or none of them is curved.
    pub(crate) fn may_decide(&self, pair: [BodyId; 2]) -> bool {
        let is_known = |id: &BodyId| self.curved.contains_key(id) || self.exact.contains_key(id);
        pair.iter().all(is_known) && pair.iter().any(|id| self.curved.contains_key(id))
    }

    /// The curved surfaces of a body of a STEP file.
    pub(crate) fn curved(&self, id: BodyId) -> Option<&CurvedBody> {
        self.curved.get(&id)
    }

    fn of(&self, id: BodyId) -> Option<&CurvedBody> {
        self.curved.get(&id).or_else(|| self.exact.get(&id)?.made())
    }
}

/// The surface of a body is known by its mesh or its shape.
fn is_exact(body: &StagedBody) -> bool {
    let is_sound = body.is_true_shape || body.kind == MeshKind::Solid && body.flaw.is_none();
    is_sound && body.origin.uncertainty == 0.0 && body.origin.curved.is_none()
}

impl ExactBody {
    fn made(&self) -> Option<&CurvedBody> {
        self.made.get_or_init(|| self.make()).as_ref()
    }

    fn make(&self) -> Option<CurvedBody> {
        let body = match (self.model.convex(), self.model.mesh()) {
            (Some(convex), _) => Brep::of_convex(convex, self.unit)?,
            (_, Some(mesh)) if mesh.triangle_count() <= MAX_TRIANGLES && self.model.winds_once() => {
                Brep::polyhedron("", mesh, self.unit).ok()?
            }
            _ => return None,
        };
        Some(CurvedBody { body: Arc::new(body), pose: Pose::IDENTITY, millimetre: self.unit })
    }
}
