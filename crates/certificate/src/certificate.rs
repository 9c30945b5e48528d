//! Certificates: statements with their proofs, as bytes.

use crate::ProofError;
use crate::cbor::{Encoder, Tokens};
use crate::directions::Directions;
use crate::scene::Scene;
use crate::search::{ProofSize, Search};
use crate::statement::{Claim, Statement};
use crate::sweep::Sweep;
use sha2::{Digest, Sha256};
use std::io::Write;

/// Options of a certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateOptions {
    /// Largest number of cells for each pair and edge.
    pub cells: usize,
    /// Includes the triangles of meshes. Without them a checker needs the mesh files.
    pub triangles: bool,
    /// Unit of length, for people.
    pub units: String,
}

impl Default for CertificateOptions {
    fn default() -> Self {
        Self { cells: 400_000, triangles: true, units: "m".to_owned() }
    }
}

/// A file that a statement was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Relative path.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// `mesh`, `urdf`, `srdf` or `other`.
    pub role: String,
    /// SHA-256 of the canonical triangles of a mesh file: shapes with these triangles name it as their source.
    pub triangles: Option<[u8; 32]>,
}

impl Source {
    /// A file by its relative path, its role and its content.
    pub fn new(name: &str, role: &str, bytes: &[u8]) -> Self {
        let sha256 = Sha256::digest(bytes).into();
        Self { name: name.to_owned(), sha256, role: role.to_owned(), triangles: None }
    }

    /// The same with the SHA-256 of its canonical triangles.
    #[must_use]
    pub fn with_triangles(self, triangles: Option<[u8; 32]>) -> Self {
        Self { triangles, ..self }
    }
}

/// Proven statements about one scene.
#[derive(Debug)]
pub struct Certificate {
    scene: Scene,
    options: CertificateOptions,
    sources: Vec<Source>,
    statements: Vec<Statement>,
    /// Encoded proofs and rays.
    items: Vec<Encoder>,
}

impl Certificate {
    /// A certificate without statements yet.
    pub fn new(scene: Scene) -> Self {
        Self::with_options(scene, CertificateOptions::default())
    }

    /// The same with options.
    pub fn with_options(scene: Scene, options: CertificateOptions) -> Self {
        Self { scene, options, sources: Vec::new(), statements: Vec::new(), items: Vec::new() }
    }

    /// Names a file that the scene was made from.
    pub fn add_source(&mut self, source: Source) {
        self.sources.push(source);
    }

    /// The bodies of its statements.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Its statements.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Proves a statement and adds it. Returns the size of the proof; an error if the statement is false, too close
    /// to it or beyond the budget. Nothing is added then.
    pub fn prove(&mut self, statement: Statement) -> Result<ProofSize, ProofError> {
        statement.check(&self.scene)?;
        let mut proof = Proof::new(&self.scene, &statement, self.statements.len(), self.options.cells);
        for edge in 0..statement.region.edges() {
            proof.prove_edge(edge)?;
        }
        proof.add_rays()?;
        let (items, size) = (proof.items, proof.search.size);
        self.statements.push(statement);
        self.items.extend(items);
        Ok(size)
    }

    /// Bytes of all proofs, without header and covers.
    pub fn item_bytes(&self) -> usize {
        self.items.iter().map(|item| item.bytes.len()).sum()
    }

    /// Includes the triangles of meshes, or leaves them out.
    pub fn set_triangles(&mut self, included: bool) {
        self.options.triangles = included;
    }

    /// The certificate, not compressed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        self.write_header(&mut out);
        let covers = self.scene.shapes.iter().enumerate();
        let mut count = self.items.len();
        for (number, shape) in covers {
            if let Some(mesh) = shape.mesh() {
                out.array(3);
                out.text("cover");
                out.index(number);
                mesh.cover.write(&mesh.canonical, &mut out);
                count += 1;
            }
        }
        self.items.iter().for_each(|item| out.bytes.extend(&item.bytes));
        out.array(2);
        out.text("end");
        out.index(count);
        out.bytes
    }

    /// Writes the certificate, compressed.
    pub fn write_compressed(&self, mut to: impl Write) -> std::io::Result<()> {
        to.write_all(&compressed(&self.to_bytes())?)?;
        to.flush()
    }

    fn write_header(&self, out: &mut Encoder) {
        out.map(9);
        for (key, text) in [
            ("format", "noli-certificate"),
            ("generator", concat!("noli ", env!("CARGO_PKG_VERSION"))),
            ("units", &self.options.units),
        ] {
            out.text(key);
            out.text(text);
        }
        out.text("version");
        out.int(2);
        out.text("sources");
        out.array(self.sources.len());
        for source in &self.sources {
            out.map(3);
            out.text("name");
            out.text(&source.name);
            out.text("sha256");
            out.blob(&source.sha256);
            out.text("role");
            out.text(&source.role);
        }
        out.text("shapes");
        out.array(self.scene.shapes.len());
        for shape in &self.scene.shapes {
            let own = |source: &Source| source.triangles.is_some() && source.triangles == shape.sha256();
            shape.write(self.options.triangles, self.sources.iter().position(own), out);
        }
        out.text("links");
        self.scene.write_links(out);
        out.text("bodies");
        self.scene.write_bodies(out);
        out.text("statements");
        out.array(self.statements.len());
        self.statements.iter().for_each(|statement| statement.write(out));
    }
}

/// The bytes of a certificate, compressed: checkers read both.
pub fn compressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

/// The items of a statement.
struct Proof<'s> {
    scene: &'s Scene,
    statement: &'s Statement,
    number: usize,
    search: Search<'s>,
    items: Vec<Encoder>,
    /// The pairs that one plane separates somewhere: they need no rays.
    parted: Vec<bool>,
}

/// Items are independent of each other, and checked in parallel: one ends beyond so many bytes.
const ITEM_BYTES: usize = 8192;

impl<'s> Proof<'s> {
    fn new(scene: &'s Scene, statement: &'s Statement, number: usize, cells: usize) -> Self {
        let parted = vec![false; statement.pairs.len()];
        let search = Search::new(scene, statement, cells);
        Self { scene, statement, number, search, items: Vec::new(), parted }
    }

    fn prove_edge(&mut self, edge: usize) -> Result<(), ProofError> {
        let (statement, pairs) = (self.statement, self.statement.pairs.len());
        // Witnesses are in items of their own: their integers are no references.
        let groups: Vec<std::ops::Range<usize>> = match statement.claim {
            Claim::Colliding => std::iter::once(0..pairs).collect(),
            Claim::NotInside => (0..pairs).map(|pair| pair..pair + 1).collect(),
            Claim::Separated | Claim::Inside => return self.prove_cuts(edge),
        };
        for group in groups {
            let tree = self.search.tree(group.clone(), edge, &mut Directions::default())?;
            self.items.push(proof_item([self.number, group.start, edge], &tree));
        }
        Ok(())
    }

    fn prove_cuts(&mut self, edge: usize) -> Result<(), ProofError> {
        let (statement, pairs) = (self.statement, self.statement.pairs.len());
        let region = &statement.region;
        let (values, halves) = region.center(self.scene, edge, &region.whole());
        let sweep = (statement.claim == Claim::Separated).then(|| Sweep::new(self.scene, &values, &halves));
        let (mut first, mut trees, mut directions) = (0, Vec::<Tokens>::new(), Directions::default());
        for pair in 0..pairs {
            let (distance, mut tree) = (self.search.distance(pair), Tokens::default());
            let bodies = statement.pairs[pair];
            let one = |sweep: &Sweep| sweep.separates(bodies, distance, &mut directions, &mut tree);
            if sweep.as_ref().is_some_and(one) {
                self.search.count_leaf();
                self.parted[pair] = true;
            } else {
                tree = self.search.tree(pair..pair + 1, edge, &mut directions)?;
                self.parted[pair] |= self.search.parted && statement.claim == Claim::Separated;
            }
            trees.push(tree);
            if pair + 1 == pairs || trees.iter().map(Tokens::byte_count).sum::<usize>() > ITEM_BYTES {
                self.items.push(proofs_item([self.number, first, edge], &trees));
                (first, directions) = (pair + 1, Directions::default());
                trees.clear();
            }
        }
        Ok(())
    }

    fn add_rays(&mut self) -> Result<(), ProofError> {
        if matches!(self.statement.claim, Claim::Colliding | Claim::NotInside) {
            return Ok(());
        }
        for pair in (0..self.parted.len()).filter(|&pair| !self.parted[pair]) {
            if let Some(lists) = self.search.rays(pair)? {
                self.items.push(rays_item([self.number, pair], &lists));
            }
        }
        Ok(())
    }
}

/// `["proof", statement, pair, edge, path, tree]` of the whole region.
fn proof_item(indices: [usize; 3], tree: &Tokens) -> Encoder {
    let mut out = Encoder::default();
    out.array(6);
    out.text("proof");
    indices.iter().for_each(|&index| out.index(index));
    out.array(0);
    tree.write(&mut out);
    out
}

/// `["proofs", statement, pair, edge, trees]` of the whole region.
fn proofs_item(indices: [usize; 3], trees: &[Tokens]) -> Encoder {
    let mut out = Encoder::default();
    out.array(5);
    out.text("proofs");
    indices.iter().for_each(|&index| out.index(index));
    out.array(trees.len());
    trees.iter().for_each(|tree| tree.write(&mut out));
    out
}

/// `["rays", statement, pair, rays_a, rays_b]`.
fn rays_item(indices: [usize; 2], lists: &[Vec<Tokens>; 2]) -> Encoder {
    let mut out = Encoder::default();
    out.array(5);
    out.text("rays");
    indices.iter().for_each(|&index| out.index(index));
    for list in lists {
        out.array(list.len());
        list.iter().for_each(|ray| ray.write(&mut out));
    }
    out
}
