//! The comparison of a certificate with the description of a robot (section 11).

use crate::description::{Collision, Description, Form, Freedom, Joint, Origin};
use crate::dyadic::{Dyadic, Vector};
use crate::error::{CheckError, Result, require, required};
use crate::header::{Claim, Model, Region, sorted};
use crate::interval::Interval;
use crate::kinematics::{Frame, Rigid};
use crate::numeral::Decimal;
use crate::shape::{Mesh, Shape};
use crate::sources::triangles;
use crate::xml::broken;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Numbers agree within this share of themselves and 1.
const NEAR: f64 = 1.0 / (1u64 << 40) as f64;
const MOST_TURNS: i64 = 20;

/// The result of comparing a certificate with a description of a robot; nothing differs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Robot {
    /// Parts that were not compared, in words.
    pub(crate) not_compared: Vec<String>,
    /// For each joint of the certificate, what the description allows; `None` for joints that it does not have.
    allowed: Vec<Option<Allowed>>,
}

/// The values that a description allows a joint.
#[derive(Clone, Debug)]
struct Allowed {
    limits: Option<[f64; 2]>,
    /// The number of turns after which all joints that follow are where they were.
    turns: Option<i64>,
}

impl Robot {
    /// Compares a certificate with the description in a file.
    pub(crate) fn bind(file: &Path, model: &Model) -> Result<Self> {
        let unread = |error| CheckError::new("E-MISSING", format!("{}: {error}", file.display()));
        let description = Description::read(&std::fs::read(file).map_err(unread)?)?;
        let folder = std::path::absolute(file).map_err(unread)?;
        let folder = folder.parent().unwrap_or(Path::new("")).to_owned();
        let mut own = Binder {
            model,
            description,
            folder,
            links: Vec::new(),
            joints: Vec::new(),
            not_compared: Vec::new(),
        };
        own.bind_links()?;
        own.bind_joints()?;
        own.check_root();
        let bodies = own.bind_bodies()?;
        own.check_configurations()?;
        own.check_pairs(&bodies);
        Ok(Self { allowed: own.allowed(), not_compared: own.not_compared })
    }

    /// Whether a range of a joint is all that the description allows.
    pub(crate) fn is_all(&self, joint: usize, low: &Dyadic, high: &Dyadic) -> bool {
        let Some(Some(Allowed { limits, turns })) = self.allowed.get(joint) else { return false };
        let all = limits
            .is_some_and(|[lower, upper]| *low <= Dyadic::double(lower) && *high >= Dyadic::double(upper));
        // 2π is a little less than 6.283185307179586477.
        let turn = Dyadic::integer(6_283_185_307_179_586_477);
        let wide = &(high - low) * &Dyadic::integer(1_000_000_000_000_000_000);
        all || turns.is_some_and(|turns| wide >= &turn * &Dyadic::integer(turns))
    }
}

struct Binder<'m> {
    model: &'m Model,
    description: Description,
    folder: PathBuf,
    /// The links of the certificate for those of the description.
    links: Vec<usize>,
    /// The joints of the certificate for those of the description, fixed and other ones left out.
    joints: Vec<Option<usize>>,
    not_compared: Vec<String>,
}

#[allow(
    clippy::indexing_slicing,
    reason = "numbers of links, joints, bodies and shapes, which were checked when they were read"
)]
impl Binder<'_> {
    fn bind_links(&mut self) -> Result<()> {
        for link in &self.description.links {
            let named = |from: usize| {
                let all = self.model.links.iter().enumerate().skip(from);
                all.filter(|(_, own)| own.name == link.name).map(|(number, _)| number).collect::<Vec<_>>()
            };
            let mut found = named(1);
            if found.is_empty() {
                found = named(0);
            }
            let [number] = found[..] else {
                return Err(broken(format!("{} links are named {:?}", found.len(), link.name)));
            };
            self.links.push(number);
        }
        Ok(())
    }

    fn bind_joints(&mut self) -> Result<()> {
        for number in 0..self.description.joints.len() {
            let found = self.bind_joint(&self.description.joints[number])?;
            self.joints.push(found);
            if self.description.joints[number].freedom == Freedom::Other {
                let Joint { name, kind, .. } = &self.description.joints[number];
                self.not_compared.push(format!("joint {name:?}, which is {kind}"));
            }
        }
        (0..self.joints.len()).try_for_each(|number| self.check_mimic(number))
    }

    fn bind_joint(&self, joint: &Joint) -> Result<Option<usize>> {
        let different = |what: &str| format!("joint {:?} has {what}", joint.name);
        let child = &self.model.links[self.links[joint.child]];
        let origin = child.origin.as_ref().map(Frame::of_placement);
        let mut frame = required(origin, "E-BINDING", &different("the first link as its child"))?;
        let (mut at, mut steps_are_still) = (child.parent, true);
        while let Some(step) =
            at.map(|link| &self.model.links[link]).filter(|step| step.name.starts_with('#'))
        {
            steps_are_still &= step.joint.is_none();
            if let Some(origin) = &step.origin {
                frame = Frame::of_placement(origin).then(&frame);
            }
            at = step.parent;
        }
        require(at == Some(self.links[joint.parent]), "E-BINDING", different("another parent"))?;
        if joint.freedom == Freedom::Other {
            return Ok(None);
        }
        require(steps_are_still, "E-BINDING", different("a second joint beside it"))?;
        require(same_place(&joint.origin, &frame), "E-BINDING", different("another origin"))?;
        let Some(number) = child.joint else {
            require(joint.freedom == Freedom::Fixed, "E-BINDING", different("no joint in the certificate"))?;
            return Ok(None);
        };
        let own = &self.model.joints[number];
        let freedom = if own.turns { Freedom::Turn } else { Freedom::Slide };
        require(freedom == joint.freedom, "E-BINDING", different("another kind"))?;
        require(own.name == joint.name, "E-BINDING", different("another name"))?;
        require(same_direction(joint.axis, &own.axis), "E-BINDING", different("another axis"))?;
        let limits =
            |limits: &[Dyadic; 2]| joint.limits.map(|ends| ends.map(Dyadic::double)).as_ref() == Some(limits);
        require(own.limits.as_ref().is_none_or(limits), "E-BINDING", different("other limits"))?;
        Ok(Some(number))
    }

    fn check_mimic(&self, number: usize) -> Result<()> {
        let Some(own) = self.joints[number].map(|own| &self.model.joints[own]) else { return Ok(()) };
        let same = match (&self.description.joints[number].mimic, &own.mimic) {
            (None, None) => true,
            (Some((of, by, plus)), Some((own_of, own_by, own_plus))) => {
                let agree = |x: &Decimal, y: &Dyadic| agrees(x.nearest(), y.to_double_down());
                self.joints[*of] == Some(*own_of) && agree(by, own_by) && agree(plus, own_plus)
            }
            _ => false,
        };
        require(same, "E-BINDING", format!("joint {:?} has another mimic", own.name))
    }

    /// The place of the robot is not part of its description.
    fn check_root(&mut self) {
        let root = &self.model.links[self.links[self.description.root]];
        let still = Origin { xyz: [0.0; 3], rpy: [0.0; 3] };
        let is_still =
            root.origin.as_ref().is_none_or(|origin| same_place(&still, &Frame::of_placement(origin)));
        if !(is_still && root.joint.is_none() && root.parent.is_none_or(|parent| parent == 0)) {
            self.not_compared.push(format!("the place of {:?} in the world", root.name));
        }
    }

    /// Finds the body of each collision shape; the others are listed.
    fn bind_bodies(&mut self) -> Result<HashSet<usize>> {
        let (mut taken, mut prefix) = (HashSet::new(), None::<String>);
        let mut unread = Vec::new();
        for (link, own) in self.description.links.iter().zip(&self.links) {
            let bodies = || self.model.bodies.iter().enumerate().filter(|(_, body)| body.link == *own);
            // Meshes whose file is not read fit any mesh: those come last.
            let mut collisions = Vec::new();
            for collision in &link.collisions {
                collisions.push((collision, self.hash_of(collision)?));
            }
            collisions.sort_by_key(|(_, read)| matches!(read, Hash::Unread(_)));
            for (collision, hash) in collisions {
                let fits = |body: usize| {
                    let body = &self.model.bodies[body];
                    let own = body.name.strip_suffix(&link.name[..]);
                    let named = own.is_some_and(|own| prefix.as_ref().is_none_or(|prefix| prefix == own));
                    named
                        && same_place(&collision.origin, &Frame::of_placement(&body.pose))
                        && same_form(&collision.form, &hash, &self.model.shapes[body.shape])
                };
                let found =
                    bodies().map(|(number, _)| number).find(|body| !taken.contains(body) && fits(*body));
                let missing = format!("a collision shape of link {:?} is no body on it", link.name);
                let body = required(found, "E-BINDING", &missing)?;
                let name = &self.model.bodies[body].name;
                prefix = name.strip_suffix(&link.name[..]).map(str::to_owned);
                taken.insert(body);
                if let Hash::Unread(why) = hash {
                    unread.push(format!("the mesh of body {body} {name:?}: {why}"));
                }
                if self.model.shapes[self.model.bodies[body].shape]
                    .mesh()
                    .is_some_and(|mesh| !mesh.solid && mesh.is_closed())
                {
                    unread.push(format!("the inside of body {body} {name:?}: claims are about its surface"));
                }
            }
        }
        self.not_compared.extend(unread);
        let foreign = self.model.bodies.iter().enumerate().filter(|(number, _)| !taken.contains(number));
        let foreign = foreign.map(|(number, body)| {
            format!("body {number} {:?}, which the description does not have", body.name)
        });
        self.not_compared.extend(foreign);
        Ok(taken)
    }

    /// The hash of the triangles of a mesh of the description.
    fn hash_of(&self, collision: &Collision) -> Result<Hash> {
        let Form::Mesh { file, scale } = &collision.form else { return Ok(Hash::None) };
        let found = match (file.strip_prefix("package://"), file.strip_prefix("file://")) {
            (Some(name), _) => {
                self.folder.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file())
            }
            (_, Some(path)) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
            _ => Some(self.folder.join(file)).filter(|path| path.is_file()),
        };
        let Some(path) = found else { return Ok(Hash::Unread("its file is not there")) };
        let data = std::fs::read(&path)
            .map_err(|error| CheckError::new("E-MISSING", format!("{}: {error}", path.display())))?;
        let read = triangles(file, &data, scale)?;
        Ok(read.map_or(Hash::Unread("its format is not read"), |triangles| {
            Hash::Of(crate::sha256::sha256(&triangles))
        }))
    }

    /// Compares the values of followers with those that they follow, and lists statements beyond the limits.
    fn check_configurations(&mut self) -> Result<()> {
        for (number, statement) in self.model.statements.iter().enumerate() {
            let states: Vec<&Vec<Dyadic>> = match &statement.region {
                Region::At(state) => vec![state],
                Region::Curve(pieces, _) => pieces.iter().flatten().collect(),
                Region::Box(_) => Vec::new(),
            };
            for (joint, own) in self.description.joints.iter().zip(&self.joints) {
                let Some(own) = *own else { continue };
                if let Some((of, by, plus)) = &self.model.joints[own].mimic {
                    let follows = |state: &&Vec<Dyadic>| {
                        let wanted = &(by * &state[*of]) + plus;
                        agrees(wanted.to_double_down(), state[own].to_double_down())
                    };
                    let message = format!("statement {number}: joint {:?} does not follow", joint.name);
                    require(states.iter().all(follows), "E-BINDING", message)?;
                }
                let limits = joint.limits.map(|ends| ends.map(Dyadic::double));
                let beyond = |state: &&Vec<Dyadic>| {
                    limits.as_ref().is_some_and(|[lower, upper]| state[own] < *lower || state[own] > *upper)
                };
                if states.iter().any(beyond) {
                    self.not_compared
                        .push(format!("statement {number}: joint {:?} is beyond its limits", joint.name));
                }
            }
        }
        Ok(())
    }

    /// Lists statements that leave out pairs of shapes of two links.
    fn check_pairs(&mut self, described: &HashSet<usize>) {
        let mut shapes: HashMap<usize, Vec<usize>> = HashMap::new();
        for &body in described {
            shapes.entry(self.model.bodies[body].link).or_default().push(body);
        }
        let none = Vec::new();
        for (number, statement) in self.model.statements.iter().enumerate() {
            if statement.claim == Claim::Colliding {
                continue;
            }
            let said: HashSet<_> = statement.pairs.iter().chain(&statement.disabled).map(sorted).collect();
            let both = statement.pairs.iter().filter(|(a, b)| described.contains(a) && described.contains(b));
            let links = both.map(|&(a, b)| sorted(&(self.model.bodies[a].link, self.model.bodies[b].link)));
            for (a, b) in links.collect::<BTreeSet<_>>() {
                let [all_a, all_b] = [a, b].map(|link| shapes.get(&link).unwrap_or(&none));
                let mut pairs = all_a.iter().flat_map(|a| all_b.iter().map(move |b| (*a, *b)));
                if a != b && !pairs.all(|pair| said.contains(&sorted(&pair))) {
                    let [a, b] = [a, b].map(|link| &self.model.links[link].name);
                    self.not_compared
                        .push(format!("statement {number}: not all pairs of shapes of {a:?} and {b:?}"));
                }
            }
        }
    }

    /// The values that the description allows the joints of the certificate.
    fn allowed(&self) -> Vec<Option<Allowed>> {
        let mut allowed = vec![None; self.model.joints.len()];
        for (number, own) in self.joints.iter().enumerate() {
            let Some(own) = *own else { continue };
            let turns =
                Some(own).filter(|own| self.model.joints[*own].turns).and_then(|_| self.period(number, own));
            allowed[own] = Some(Allowed { limits: self.description.joints[number].limits, turns });
        }
        allowed
    }

    /// The number of turns after which all that follows a joint is where it was.
    fn period(&self, number: usize, own: usize) -> Option<i64> {
        let mut factors = Vec::new();
        for (other, joint) in self.model.joints.iter().enumerate() {
            if joint.mimic.as_ref().is_some_and(|mimic| mimic.0 == own) {
                let described = self.joints.iter().position(|bound| *bound == Some(other))?;
                let (_, by, _) = self.description.joints[described].mimic.as_ref()?;
                factors.push(Some(by).filter(|_| joint.turns)?);
            }
        }
        // A follower of a kind that is not compared moves in unknown ways.
        let unknown = |joint: &Joint| {
            joint.freedom == Freedom::Other && joint.mimic.as_ref().is_some_and(|mimic| mimic.0 == number)
        };
        if self.description.joints.iter().any(unknown) {
            return None;
        }
        (1..=MOST_TURNS)
            .find(|turns| factors.iter().all(|by| by.times(&Decimal::integer(*turns)).is_integer()))
    }
}

/// The hash of the triangles of a mesh of the description, if it has one and it is read.
enum Hash {
    None,
    Of([u8; 32]),
    Unread(&'static str),
}

fn same_form(form: &Form, hash: &Hash, shape: &Shape) -> bool {
    let same = |x: f64, y: &Dyadic| Dyadic::double(x) == *y;
    let halved = |x: f64, half: &Dyadic| Dyadic::double(x) == half.times_power(1);
    match (form, shape) {
        (Form::Box(size), Shape::Box { halves }) => size.iter().zip(halves).all(|(x, half)| halved(*x, half)),
        (Form::Sphere(own), Shape::Sphere { radius }) => same(*own, radius),
        (Form::Cylinder([own, length]), Shape::Cylinder { radius, half })
        | (Form::Capsule([own, length]), Shape::Capsule { radius, half }) => {
            same(*own, radius) && halved(*length, half)
        }
        (Form::Mesh { .. }, Shape::Mesh(Mesh { hash: own, .. })) => match hash {
            Hash::Of(hash) => hash == own,
            Hash::None | Hash::Unread(_) => true,
        },
        _ => false,
    }
}

fn agrees(x: f64, y: f64) -> bool {
    (x - y).abs() <= NEAR * (1.0 + x.abs())
}

fn same_place(origin: &Origin, frame: &Frame) -> bool {
    let Rigid { rotation, translation } = frame.enclosed();
    let near = |x: f64, y: &Interval| agrees(x, y.middle().to_double_down());
    let rotations = origin.rotation();
    let mut entries = rotations.iter().flatten().zip(rotation.iter().flatten());
    // Entries of matrices are at most 1.
    entries.all(|(x, y)| (x - y.middle().to_double_down()).abs() <= NEAR)
        && origin.xyz.iter().zip(&translation).all(|(x, y)| near(*x, y))
}

fn same_direction(axis: [f64; 3], own: &Vector) -> bool {
    let unit = |v: [f64; 3]| {
        let length = v[0].hypot(v[1]).hypot(v[2]);
        v.map(|x| x / length)
    };
    let pairs = unit(axis).into_iter().zip(unit(own.each_ref().map(Dyadic::to_double_down)));
    // Without a length nothing is near.
    pairs.into_iter().all(|(x, y)| (x - y).abs() <= NEAR)
}
