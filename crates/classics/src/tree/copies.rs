//! Trees in which a face may be in several leaves: Felger's and Zachmann's, before Eckstein changed it.
//!
//! One plane for every axis, placed to halve the faces as well as possible. The best balanced of the three
//! splits the node, and faces that it cuts go to both sides. A tree of the engine holds every face once, so
//! this one is over copies of faces.

use noli::tree::{Tree, TreeNode};
use noli_geom::Triangle;

/// Stopping criteria of [`zachmann`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZachmannOptions {
    /// No deeper than this.
    pub depth: usize,
    /// Nodes of so few faces are leaves.
    pub few: usize,
    /// A node is a leaf where its larger side would have more than this share of its faces.
    pub balance: f64,
}

impl Default for ZachmannOptions {
    fn default() -> Self {
        Self { depth: 16, few: 2, balance: 0.8 }
    }
}

/// A tree over copies of faces.
#[derive(Clone, Debug)]
pub struct Copies {
    /// Its faces are numbers of copies.
    pub tree: Tree,
    /// Original face of each copy.
    pub faces: Vec<u32>,
}

impl Copies {
    /// The copies, to fit volumes around.
    pub fn triangles(&self, triangles: &[Triangle]) -> Vec<Triangle> {
        self.faces.iter().map(|&face| triangles[face as usize]).collect()
    }

    /// Pairs of faces, each once and in order, from pairs of copies of two trees.
    pub fn pairs(&self, other: &Self, met: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let original = |&(a, b): &(u32, u32)| (self.faces[a as usize], other.faces[b as usize]);
        let mut pairs: Vec<(u32, u32)> = met.iter().map(original).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Part faces by planes across the axes, cut faces to both sides (Zachmann and Felger 1995, as Eckstein 1998
/// describes it in section 3.1).
///
/// ```
/// use noli_classics::tree::{ZachmannOptions, zachmann};
/// # let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let triangles: Vec<_> = mesh.iter_triangles().collect();
/// let built = zachmann(&triangles, &ZachmannOptions::default());
/// assert!(built.faces.len() >= triangles.len());
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn zachmann(triangles: &[Triangle], options: &ZachmannOptions) -> Copies {
    if triangles.is_empty() {
        return Copies { tree: Tree::default(), faces: Vec::new() };
    }
    let mut copies = Copies { tree: Tree::default(), faces: Vec::new() };
    copies.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
    copies.grow(triangles, options, 0, 0, (0..triangles.len() as u32).collect());
    copies.tree.faces = (0..copies.faces.len() as u32).collect();
    copies
}

impl Copies {
    fn grow(
        &mut self,
        triangles: &[Triangle],
        options: &ZachmannOptions,
        node: usize,
        depth: usize,
        faces: Vec<u32>,
    ) {
        let start = self.faces.len() as u32;
        let sides = if depth < options.depth && faces.len() > options.few {
            best_plane(triangles, &faces)
        } else {
            None
        };
        let most = options.balance * faces.len() as f64;
        match sides
            .filter(|sides| sides.iter().all(|side| side.len() < faces.len() && side.len() as f64 <= most))
        {
            None => self.faces.extend(faces),
            Some(sides) => {
                let first = self.tree.nodes.len();
                self.tree.nodes[node].children = first as u32..first as u32 + 2;
                self.tree.nodes.extend([(); 2].map(|()| TreeNode { faces: 0..0, children: 0..0 }));
                for (child, side) in sides.into_iter().enumerate() {
                    self.grow(triangles, options, first + child, depth + 1, side);
                }
            }
        }
        self.tree.nodes[node].faces = start..self.faces.len() as u32;
    }
}

/// The two sides of the plane that halves the faces best, of those across an axis through a vertex.
fn best_plane(triangles: &[Triangle], faces: &[u32]) -> Option<[Vec<u32>; 2]> {
    let mut best: Option<((usize, usize), usize, f64)> = None;
    for axis in 0..3 {
        let range = |&face: &u32| {
            let along = triangles[face as usize].vertices.map(|vertex| vertex[axis]);
            (
                along.into_iter().fold(f64::INFINITY, f64::min),
                along.into_iter().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (mut low, mut high): (Vec<f64>, Vec<f64>) = faces.iter().map(range).unzip();
        low.sort_by(f64::total_cmp);
        high.sort_by(f64::total_cmp);
        for &at in low.iter().chain(&high) {
            let below = low.partition_point(|x| *x < at);
            let above = faces.len() - high.partition_point(|x| *x <= at);
            let key = (below.abs_diff(above), below + above);
            if below > 0 && above > 0 && best.is_none_or(|(least, ..)| key < least) {
                best = Some((key, axis, at));
            }
        }
    }
    let (_, axis, at) = best?;
    let vertices = |face: u32| triangles[face as usize].vertices.map(|vertex| vertex[axis]);
    let below = faces.iter().copied().filter(|&f| vertices(f).iter().any(|x| *x < at)).collect();
    // What lies in the plane is put above it.
    let above = faces.iter().copied().filter(|&f| {
        let along = vertices(f);
        along.iter().any(|x| *x > at) || along.iter().all(|x| *x == at)
    });
    Some([below, above.collect()])
}
