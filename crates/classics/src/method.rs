//! One interface to all methods, so that they can be chosen and compared.

use super::four_step::{self, VoxelBody, VoxelScratch};
use super::hull_tree::{self, HullHints, HullTree};
use super::moore::{self, HalfSpaceBody};
use super::polyhedron::{Polyhedron, Stood};
use super::work::{Tally, Work};
use super::{boyse, occupancy};
use noli::trace::Stats;
use noli::{Budget, Guarantee, Model, Overlap, Placed, QueryContext, Scratch};
use noli_geom::Pose;
use std::fmt;
use std::str::FromStr;

/// Method of comparing two meshes. All but [`Occupancy`](PairMethod::Occupancy) give the exact verdict;
/// they differ in cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PairMethod {
    /// Exact: two trees, as [`overlap`](noli::overlap).
    #[default]
    Tree,
    /// Exact: the four steps, with `m` halvings of each container (see [`VoxelBody`](super::VoxelBody)).
    FourStep {
        /// Halvings; the source takes 9. 0 leaves it to the number of faces, see
        /// [`suited_halvings`](super::suited_halvings).
        m: u8,
    },
    /// Exact: every edge against every face.
    Boyse,
    /// Exact: edges against half-spaces first.
    Moore,
    /// Exact: trees of convex hulls, compared by their closest features.
    LinCanny,
    /// Conservative: cells of space, to the diagonal of a cell.
    Occupancy {
        /// Cells along the longest edge of the space around a pair.
        resolution: u32,
    },
}

impl PairMethod {
    /// Every method, with its usual setting.
    pub const ALL: [Self; 6] = [
        Self::Tree,
        Self::FourStep { m: 9 },
        Self::Boyse,
        Self::Moore,
        Self::LinCanny,
        Self::Occupancy { resolution: 64 },
    ];

    /// Name of each, in the order of [`ALL`](Self::ALL): on the command line, in scenes and in reports.
    pub const NAMES: [&'static str; 6] = ["tree", "four-step", "boyse", "moore", "lin-canny", "occupancy"];

    /// The names, with what may follow them: `tree, four-step[:1..20|:auto], …`.
    pub fn choices() -> String {
        let name = |(method, name): (Self, &str)| match method {
            Self::FourStep { .. } => format!("{name}[:1..{}|:auto]", super::MAX_HALVINGS),
            Self::Occupancy { .. } => format!("{name}[:1..{}]", super::MAX_RESOLUTION),
            Self::Tree | Self::Boyse | Self::Moore | Self::LinCanny => name.to_owned(),
        };
        Self::ALL.into_iter().zip(Self::NAMES).map(name).collect::<Vec<_>>().join(", ")
    }

    /// Its name, without a setting.
    pub fn name(self) -> &'static str {
        let number = match self {
            Self::Tree => 0,
            Self::FourStep { .. } => 1,
            Self::Boyse => 2,
            Self::Moore => 3,
            Self::LinCanny => 4,
            Self::Occupancy { .. } => 5,
        };
        Self::NAMES[number]
    }

    /// Returns the guarantee of its answers.
    pub fn guarantee(self) -> Guarantee {
        match self {
            Self::Occupancy { .. } => Guarantee::Conservative,
            Self::Tree | Self::FourStep { .. } | Self::Boyse | Self::Moore | Self::LinCanny => {
                Guarantee::Exact
            }
        }
    }

    /// Prepares a model. Costs nothing for a tree, which already exists. The classics support meshes alone: a
    /// model of another form is always left to [`overlap`](noli::overlap).
    pub fn prepare(self, model: &Model) -> Prepared {
        let Some(mesh) = model.mesh().filter(|mesh| !mesh.is_empty()) else {
            return Prepared { model: model.clone(), form: Form::Tree };
        };
        let form = match self {
            Self::Tree => Form::Tree,
            Self::FourStep { m } => {
                let m = if m == 0 { super::suited_halvings(mesh.triangle_count()) } else { m };
                Form::FourStep(VoxelBody::new(mesh, m))
            }
            Self::Boyse => Form::Boyse(Polyhedron::new(mesh)),
            Self::Moore => Form::Moore(HalfSpaceBody::new(mesh)),
            Self::LinCanny => HullTree::new(mesh).map_or(Form::Tree, Form::LinCanny),
            Self::Occupancy { resolution } => Form::Occupancy(Polyhedron::new(mesh), resolution),
        };
        Prepared { model: model.clone(), form }
    }
}

/// One of [`PairMethod::NAMES`]; a number after a colon sets the halvings or the resolution, as in
/// `four-step:12`; `four-step:auto` leaves the halvings to the number of faces.
impl FromStr for PairMethod {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let unknown = || UnknownMethod { given: text.into() };
        let (name, setting) =
            text.split_once(':').map_or((text, None), |(name, setting)| (name, Some(setting)));
        let number = |most: u32| -> Result<Option<u32>, UnknownMethod> {
            let Some(setting) = setting else { return Ok(None) };
            setting.parse().ok().filter(|n| (1..=most).contains(n)).map(Some).ok_or_else(unknown)
        };
        let found = Self::NAMES.iter().position(|known| *known == name).ok_or_else(unknown)?;
        match Self::ALL[found] {
            Self::FourStep { .. } if setting == Some("auto") => Ok(Self::FourStep { m: 0 }),
            Self::FourStep { m } => {
                let halvings = number(super::MAX_HALVINGS.into())?;
                Ok(Self::FourStep { m: halvings.map_or(m, |n| n as u8) })
            }
            Self::Occupancy { resolution } => {
                Ok(Self::Occupancy { resolution: number(super::MAX_RESOLUTION)?.unwrap_or(resolution) })
            }
            plain if setting.is_none() => Ok(plain),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for PairMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::FourStep { m: 0 } => f.write_str(":auto"),
            Self::FourStep { m } => write!(f, ":{m}"),
            Self::Occupancy { resolution } => write!(f, ":{resolution}"),
            Self::Tree | Self::Boyse | Self::Moore | Self::LinCanny => Ok(()),
        }
    }
}

/// Unknown method name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method {given:?}; choose {}", PairMethod::choices())]
pub struct UnknownMethod {
    given: String,
}

/// A model prepared for one method.
#[derive(Clone, Debug)]
pub struct Prepared {
    model: Model,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Tree,
    FourStep(VoxelBody),
    Boyse(Polyhedron),
    Moore(HalfSpaceBody),
    LinCanny(HullTree),
    Occupancy(Polyhedron, u32),
}

/// Memory lent to one query after the other.
#[derive(Default)]
pub struct MethodScratch {
    tree: Scratch,
    voxels: VoxelScratch,
    hulls: HullHints,
}

/// Answer of a method for two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodAnswer {
    /// Result of the overlap test.
    pub overlap: Overlap,
    /// Largest distance of bodies reported to overlap; 0 unless the method is conservative.
    pub within: f64,
    /// Cost of the answer.
    pub work: Work,
}

impl MethodAnswer {
    fn new(verdict: Option<bool>, within: f64, work: Work) -> Self {
        let overlap = match verdict {
            Some(true) => Overlap::Hit,
            Some(false) => Overlap::Free,
            None => Overlap::Unknown,
        };
        Self { overlap, within, work }
    }
}

impl Prepared {
    /// About how many bytes the method keeps of the body, its mesh not counted.
    pub fn bytes(&self) -> usize {
        match &self.form {
            Form::Tree => self.model.tree_bytes(),
            Form::FourStep(body) => body.voxel_bytes() + body.polyhedron().bytes(),
            Form::Boyse(body) | Form::Occupancy(body, _) => body.bytes(),
            // A plane for each face beside.
            Form::Moore(body) => body.polyhedron().bytes() + 32 * body.polyhedron().mesh().triangle_count(),
            Form::LinCanny(body) => body.bytes(),
        }
    }

    /// Tests if two bodies share a point. Its guarantee is that of the method; bodies prepared for different
    /// methods are compared by their trees.
    ///
    /// ```
    /// use noli_classics::{MethodScratch, PairMethod};
    /// use noli::{Mesh, Model, Overlap, Pose};
    /// let cube = Model::new(Mesh::cuboid(2.0 * glam::DVec3::ONE)?)?;
    /// let away = Pose::from_translation(glam::dvec3(2.5, 0.0, 0.0));
    /// for method in PairMethod::ALL {
    ///     let (a, b) = (method.prepare(&cube), method.prepare(&cube));
    ///     let answer = a.overlap(&Pose::IDENTITY, &b, &away, &Default::default(), &mut MethodScratch::default());
    ///     assert_eq!(answer.overlap, Overlap::Free, "{method}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap(
        &self,
        pose: &Pose,
        other: &Self,
        other_pose: &Pose,
        budget: &Budget<'_>,
        scratch: &mut MethodScratch,
    ) -> MethodAnswer {
        if !pose.is_valid() || !other_pose.is_valid() {
            return MethodAnswer::new(None, 0.0, Work::default());
        }
        let mut tally = Tally::new(budget);
        let mut within = 0.0;
        let verdict = match (&self.form, &other.form) {
            (Form::FourStep(a), Form::FourStep(b)) => {
                four_step::overlap((a, pose), (b, other_pose), &mut tally, &mut scratch.voxels)
            }
            (Form::Boyse(a), Form::Boyse(b)) => {
                boyse::overlap(&stood(a, pose), &stood(b, other_pose), &mut tally)
            }
            (Form::Moore(a), Form::Moore(b)) => {
                let (x, y) = (stood(a.polyhedron(), pose), stood(b.polyhedron(), other_pose));
                moore::overlap((a, &x), (b, &y), &mut tally)
            }
            (Form::LinCanny(a), Form::LinCanny(b)) => {
                let (x, y) = (stood(&a.body, pose), stood(&b.body, other_pose));
                hull_tree::overlap((a, &x), (b, &y), &mut tally, &mut scratch.hulls)
            }
            (Form::Occupancy(a, fine_a), Form::Occupancy(b, fine_b)) => {
                let (x, y) = (stood(a, pose), stood(b, other_pose));
                let answer = occupancy::overlap(&x, &y, *fine_a.max(fine_b), &mut tally);
                within = answer.map_or(0.0, |(_, within)| within);
                answer.map(|(hit, _)| hit)
            }
            _ => return by_tree(&self.model.at(*pose), &other.model.at(*other_pose), budget, scratch),
        };
        MethodAnswer::new(verdict, within, tally.work)
    }
}

fn stood<'a>(body: &'a Polyhedron, pose: &'a Pose) -> Stood<'a> {
    Stood { body, pose }
}

fn by_tree(a: &Placed<'_>, b: &Placed<'_>, budget: &Budget<'_>, scratch: &mut MethodScratch) -> MethodAnswer {
    let mut stats = Stats::default();
    let overlap =
        QueryContext::new(&mut scratch.tree).with_budget(*budget).with_trace(&mut stats).overlap(a, b);
    let work = Work {
        volumes: 16 * stats.blocks,
        face_pairs: 16 * stats.leaf_pairs,
        exact: stats.unsure,
        ..Work::default()
    };
    MethodAnswer { overlap, within: 0.0, work }
}
