//! A cell in single precision: what decides most pairs in sixteen configurations at once.
//!
//! Only what is certain counts. With `u` = 2⁻²⁴, a joint's matrix errs by less than `64u`: its constants by
//! `2u`, sine and cosine by `16u` each (the angle's own rounding included), their combination with two columns
//! by `8u`, the product with the parent's matrix by `9u`. What stands behind a joint is displaced by so much of
//! its distance from there, and every offset is turned and added within `8u` of the lengths so far. With all
//! lengths of a chain of n joints summed to `L` this is less than `72u·n·L`; we state `96u·(n + 2)·L`, which
//! covers the rounding of the poses in double precision, of the balls' constants, and of the squares that are
//! compared as well. Products and sums are not fused, so every machine decides the same pairs.
//!
//! Joints have their axes as z: a link's frame is its joint's, turned by a constant that its balls take over,
//! and links that are fixed to each other share one.

mod hull;
mod look;
mod plain;
#[cfg(test)]
mod tests;

pub(super) use look::{Look, LookAlong};

use super::{Cell, Rule};
use crate::LANES;
use crate::tree::Movement;
use glam::{DQuat, DVec3};
use hull::Hull;
use noli::Pose;
use noli_geom::Sphere;
use plain::Plain;
use std::collections::{HashMap, HashSet};

/// Sixteen numbers of single precision.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [f32; LANES]);

const ZERO: Row = Row([0.0; LANES]);
const U: f64 = f32::EPSILON as f64 / 2.0;
/// Robots of other sizes are not sketched: squares of their lengths might vanish or overflow.
const SIZES: [f64; 2] = [1e-9, 1e9];
/// How far a slide without limits may go to be sketched.
const FAR: f64 = 8.0;

/// A joint, its axis as z. Without a parent it hangs on what stands still.
#[derive(Clone, Debug)]
struct Joint {
    parent: Option<u32>,
    variable: u32,
    slides: bool,
    /// Rows; for a slide, only the first column, its direction.
    turn: [[f32; 3]; 3],
    shift: [f32; 3],
}

/// The frames behind a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    turn: [[Row; 3]; 3],
    shift: [Row; 3],
}

/// Up to sixteen balls side by side; the first stands in for those that are missing.
#[derive(Clone, Copy, Debug)]
struct Balls {
    center: [Row; 3],
    radius: Row,
    count: usize,
    /// A ball around all of them.
    around: ([f32; 3], f32),
}

impl Balls {
    /// Of balls in the frame they are on, their radii changed by how far they may be off.
    fn new(balls: &[Sphere], change: f64) -> Self {
        let mut all = Self { center: [ZERO; 3], radius: ZERO, count: balls.len(), around: ([0.0; 3], 0.0) };
        if !balls.is_empty() {
            let around = around(balls);
            all.around = (around.center.as_vec3().to_array(), (around.radius + change.abs()) as f32);
        }
        for k in 0..if balls.is_empty() { 0 } else { LANES } {
            let ball = balls.get(k).unwrap_or(&balls[0]);
            for axis in 0..3 {
                all.center[axis].0[k] = ball.center[axis] as f32;
            }
            all.radius.0[k] = (ball.radius + change).max(0.0) as f32;
        }
        all
    }
}

/// Bodies of one part whose balls fit together.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) bodies: Vec<u32>,
    frame: Option<u32>,
    /// Around all of it, and the largest ball inside.
    whole: Sphere,
    core: Option<Sphere>,
    /// The radius of the ball around it, with the error.
    outside: f32,
    /// Larger and smaller by the error.
    outer: Balls,
    inner: Balls,
    /// For each of the outer balls, smaller ones in its place.
    fine: Vec<Balls>,
    /// For each of them, balls inside the piece about there, smaller by the error.
    dense: Vec<Balls>,
    /// Around all of it, if it has few corners.
    hull: Option<Hull>,
    /// It is a single one of those, and stands still.
    plain: Option<Plain>,
    error: f64,
}

impl Piece {
    /// Of the ball around it.
    pub(super) fn radius(&self) -> f64 {
        self.whole.radius
    }
}

/// Two pieces that are asked about.
#[derive(Clone, Debug)]
pub(super) struct Duo {
    pub(super) pieces: [u32; 2],
    /// The pair of parts.
    pub(super) pair: u32,
    pub(super) margin: f64,
    /// The distance of the centres beyond which they are apart, and its square.
    reach: f32,
    apart: f32,
    /// One of them is plain.
    beside: Option<Beside>,
    /// The square of the distance of the middles of the largest balls inside them below which they meet, or of one from
    /// what is plain; negative if nothing is known to.
    meet: f32,
    /// The margin, rounded up.
    more: f32,
    /// A body without bounds: nothing is known.
    open: bool,
    /// It pays to look for a plane between them.
    planes: bool,
    /// The joints between them.
    pub(super) route: u32,
    /// The robots of both, and how many of their limbs the poses take.
    pub(super) limbs: [Option<(u32, u32)>; 2],
}

/// A piece and one that is plain.
#[derive(Clone, Copy, Debug)]
struct Beside {
    plain: Plain,
    piece: u32,
    /// The distance of the piece's middle beyond which they are apart, and its square.
    reach: f32,
    apart: f32,
}

/// A joint on the way from one piece to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RouteStep {
    joint: u32,
    /// Which of [`Sketch::arms`] is that of the first piece, if it moves, and of the second.
    first: Option<u32>,
    second: u32,
    /// It is one of those that move the first piece, which sees the second moved back.
    is_back: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    joints: Vec<Joint>,
    pub(super) pieces: Vec<Piece>,
    /// Those whose centres move, and whether the one of the core is wanted.
    moving: Vec<(u32, bool)>,
    /// In the order in which they are looked at.
    pub(super) duos: Vec<Duo>,
    /// For each variable: whether it turns, and if not, up to where it is sketched.
    turns: Vec<bool>,
    bounds: Vec<f64>,
    slides: Vec<u32>,
    /// The joints between pieces; for a piece and what stands still, those of the piece from there on.
    routes: Vec<Vec<RouteStep>>,
    /// Pieces and joints whose distance bounds how far the one moves the other.
    arms: Vec<(u32, u32)>,
    /// More than any piece that moves may be off.
    error: f64,
}

/// Where a link stands: a joint's frame and the place there, and how the error grows up to here.
#[derive(Clone, Copy)]
struct Stand {
    frame: Option<u32>,
    place: Pose,
    joints: f64,
    length: f64,
}

impl Sketch {
    /// `None` where numbers are too large or too small.
    pub(super) fn new(cell: &Cell) -> Option<Self> {
        let mut sketch = Self {
            joints: Vec::new(),
            pieces: Vec::new(),
            moving: Vec::new(),
            duos: Vec::new(),
            turns: vec![true; cell.values],
            bounds: vec![f64::INFINITY; cell.values],
            slides: Vec::new(),
            routes: Vec::new(),
            arms: Vec::new(),
            error: 0.0,
        };
        let origin = cell.arms.first()?.world_from_root.translation;
        let stands = sketch.add_joints(cell, origin);
        let of_body = sketch.add_pieces(cell, &stands, origin);
        sketch.add_duos(cell, &of_body);
        sketch.add_routes();
        sketch.fits().then_some(sketch)
    }

    fn add_joints(&mut self, cell: &Cell, origin: DVec3) -> Vec<Stand> {
        let nowhere = Stand { frame: None, place: Pose::IDENTITY, joints: 0.0, length: 0.0 };
        let mut stands = vec![nowhere; cell.links];
        for arm in &cell.arms {
            let robot = &arm.robot;
            let mut place = arm.world_from_root;
            place.translation -= origin;
            stands[arm.first_link + robot.root()] = Stand { place, ..nowhere };
            for limb in robot.limbs() {
                let mut stand = stands[arm.first_link + limb.parent as usize];
                for step in robot.steps(limb) {
                    let offset = Pose::new(DQuat::from_array(step.fixed), DVec3::from_array(step.shift));
                    let Some((movement, variable)) = step.variable else {
                        stand.place = stand.place * offset;
                        continue;
                    };
                    let variable = (arm.first_value + variable as usize) as u32;
                    let limits = &robot.variables()[variable as usize - arm.first_value].limits;
                    stand = match movement {
                        Movement::Turn => self.add_turn(&stand, &offset, step.axis, variable),
                        Movement::Slide => {
                            // States are checked beyond the limits too, if not by the sketch then slowly.
                            let most =
                                limits.range.map_or(FAR, |[low, high]| 4.0 * low.abs().max(high.abs()));
                            let along = DVec3::from_array(step.along);
                            self.add_slide(&stand, &offset, along, variable, most)
                        }
                    };
                }
                stands[arm.first_link + limb.child as usize] = stand;
            }
        }
        stands
    }

    fn add_turn(&mut self, stand: &Stand, offset: &Pose, axis: DVec3, variable: u32) -> Stand {
        let upright = DQuat::from_rotation_arc(DVec3::Z, axis);
        let fixed = stand.place * *offset * Pose::new(upright, DVec3::ZERO);
        let matrix = fixed.rotation_matrix();
        let turn = [0, 1, 2].map(|row| [0, 1, 2].map(|column| matrix.col(column)[row] as f32));
        let shift = fixed.translation.as_vec3().to_array();
        self.joints.push(Joint { parent: stand.frame, variable, slides: false, turn, shift });
        Stand {
            frame: Some(self.joints.len() as u32 - 1),
            place: Pose::new(upright.conjugate(), DVec3::ZERO),
            joints: stand.joints + 1.0,
            length: stand.length + fixed.translation.length(),
        }
    }

    fn add_slide(&mut self, stand: &Stand, offset: &Pose, along: DVec3, variable: u32, most: f64) -> Stand {
        let start = stand.place.transform_point(offset.translation);
        let along = stand.place.transform_vector(along).as_vec3();
        let turn = [0, 1, 2].map(|row| [along[row], 0.0, 0.0]);
        let shift = start.as_vec3().to_array();
        self.joints.push(Joint { parent: stand.frame, variable, slides: true, turn, shift });
        self.turns[variable as usize] = false;
        self.bounds[variable as usize] = most;
        self.slides.push(variable);
        Stand {
            frame: Some(self.joints.len() as u32 - 1),
            place: Pose::new(stand.place.rotation * offset.rotation, DVec3::ZERO),
            joints: stand.joints + 1.0,
            length: stand.length + start.length() + 2.0 * most,
        }
    }

    /// For each body its piece.
    fn add_pieces(&mut self, cell: &Cell, stands: &[Stand], origin: DVec3) -> Vec<u32> {
        let mut of_body = vec![0; cell.bodies.len()];
        // The piece of the last part that still has room.
        let mut last: Option<(usize, Vec<u32>)> = None;
        for (number, body) in cell.bodies.iter().enumerate() {
            let room = |bodies: &[u32]| {
                let covers = bodies.iter().map(|&body| &cell.bodies[body as usize].cover);
                let [outer, inner] = covers
                    .fold([body.cover.outer_balls.len(), body.cover.inner_balls.len()], |[o, i], cover| {
                        [o + cover.outer_balls.len(), i + cover.inner_balls.len()]
                    });
                outer.max(inner) <= LANES
            };
            match &mut last {
                Some((part, bodies)) if *part == body.part && room(bodies) => bodies.push(number as u32),
                _ => {
                    if let Some((_, bodies)) = last.take() {
                        self.add_piece(cell, stands, origin, bodies);
                    }
                    last = Some((body.part, vec![number as u32]));
                }
            }
            of_body[number] = self.pieces.len() as u32;
        }
        if let Some((_, bodies)) = last {
            self.add_piece(cell, stands, origin, bodies);
        }
        of_body
    }

    fn add_piece(&mut self, cell: &Cell, stands: &[Stand], origin: DVec3, bodies: Vec<u32>) {
        let body = &cell.bodies[bodies[0] as usize];
        let still = Stand { frame: None, place: Pose::from_translation(-origin), joints: 0.0, length: 0.0 };
        let stand = body.carrier.map_or(still, |link| stands[link]);
        let on_frame =
            |ball: &Sphere| Sphere { center: stand.place.transform_point(ball.center), radius: ball.radius };
        let covers = || bodies.iter().map(|&body| &cell.bodies[body as usize].cover);
        let outer: Vec<Sphere> = covers().flat_map(|cover| &cover.outer_balls).map(on_frame).collect();
        let all_on_frame = |balls: &Vec<Sphere>| balls.iter().map(on_frame).collect::<Vec<_>>();
        let fine = covers().flat_map(|cover| &cover.fine_balls).map(all_on_frame);
        let dense = covers().flat_map(|cover| &cover.dense_balls).map(all_on_frame);
        let mut inner: Vec<Sphere> = covers().flat_map(|cover| &cover.inner_balls).map(on_frame).collect();
        inner.sort_by(|a, b| b.radius.total_cmp(&a.radius));
        let wholes: Vec<Sphere> = covers().map(|cover| on_frame(&cover.whole)).collect();
        let whole = around(&wholes);
        let length = stand.length + whole.center.length() + whole.radius;
        let error = 96.0 * U * (stand.joints + 2.0) * length;
        let fine = fine.map(|balls| Balls::new(&balls, error)).collect();
        let core = inner.first().copied();
        let certain = |balls: Vec<Sphere>| -> Vec<Sphere> {
            balls.into_iter().filter(|ball| ball.radius > error).collect()
        };
        let dense = dense.map(|balls| Balls::new(&certain(balls), -error)).collect();
        let hull = Hull::new(covers(), &stand.place, error);
        let plain = if bodies.len() == 1 { Plain::new(body, origin, error) } else { None };
        self.pieces.push(Piece {
            hull,
            plain,
            frame: stand.frame,
            whole,
            core: core.filter(|core| core.radius > error),
            outside: ((whole.radius + error) * (1.0 + 4.0 * U)) as f32,
            outer: Balls::new(&outer, error),
            fine,
            inner: Balls::new(&certain(inner), -error),
            dense,
            error,
            bodies,
        });
    }

    fn add_duos(&mut self, cell: &Cell, of_body: &[u32]) {
        let mut seen = HashSet::new();
        let limbs = |body: usize| {
            let link = cell.bodies[body].carrier?;
            let arm = cell.arms.iter().rposition(|arm| arm.first_link <= link)?;
            let limbs = cell.arms[arm].robot.limbs_to(link - cell.arms[arm].first_link);
            Some((arm as u32, limbs as u32))
        };
        for pair in &cell.on {
            let pieces = pair.bodies.map(|body| of_body[body as usize]);
            if !seen.insert(pieces) {
                continue;
            }
            let [a, b] = pieces.map(|piece| &self.pieces[piece as usize]);
            let Rule::On { margin } = cell.pairs[pair.pair as usize].rule else { continue };
            let error = a.error + b.error;
            let reach = a.whole.radius + b.whole.radius + margin + error;
            let beside = |piece: usize, plain: Option<Plain>| {
                let (plain, piece) = (plain?, pieces[piece]);
                let whole = &self.pieces[piece as usize].whole;
                let reach = whole.radius + f64::from(plain.radius) + margin + error;
                let (reach, apart) = widened(reach);
                Some(Beside { plain, piece, reach, apart })
            };
            let beside = beside(0, b.plain).or_else(|| beside(1, a.plain));
            let depth = match (a.core, b.core) {
                (Some(a), Some(b)) => a.radius + b.radius - error,
                _ => -1.0,
            };
            let depth = beside.map_or(depth, |beside| {
                let core = self.pieces[beside.piece as usize].core;
                core.map_or(-1.0, |core| core.radius + f64::from(beside.plain.radius) - error)
            });
            let (reach, apart) = widened(reach);
            // The square errs by less than 8 roundoffs.
            let meet = if depth > 0.0 { (depth * depth * (1.0 - 32.0 * U)) as f32 } else { -1.0 };
            self.duos.push(Duo {
                pieces,
                pair: pair.pair,
                margin,
                reach,
                apart,
                beside,
                meet,
                more: (margin * (1.0 + 4.0 * U)) as f32,
                open: !reach.is_finite(),
                planes: a.hull.is_some() && b.hull.is_some(),
                route: 0,
                limbs: pair.bodies.map(|body| limbs(body as usize)),
            });
        }
        for number in 0..self.pieces.len() as u32 {
            let mut own = self.duos.iter().filter(|duo| duo.pieces.contains(&number)).peekable();
            if own.peek().is_some() {
                self.moving.push((number, own.any(|duo| duo.meet > 0.0)));
            }
        }
    }

    /// The joints that move a piece, from what stands still to it.
    fn chain(&self, piece: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = self.pieces[piece as usize].frame;
        while let Some(joint) = at {
            chain.push(joint);
            at = self.joints[joint as usize].parent;
        }
        chain.reverse();
        chain
    }

    fn add_routes(&mut self) {
        let mut arms = HashMap::new();
        let mut routes: HashMap<Vec<(u32, Option<u32>, u32)>, u32> = HashMap::new();
        for number in 0..self.duos.len() {
            let [mut a, mut b] = self.duos[number].pieces;
            if self.pieces[b as usize].frame.is_none() {
                (a, b) = (b, a);
            }
            let (up, down) = (self.chain(a), self.chain(b));
            let shared = up.iter().zip(&down).take_while(|(x, y)| x == y).count();
            let joints: Vec<u32> = up[shared..].iter().rev().chain(&down[shared..]).copied().collect();
            let first = self.pieces[a as usize].frame.map(|_| a);
            let named: Vec<_> = joints.into_iter().map(|joint| (joint, first, b)).collect();
            let back = up.len() - shared;
            let next = self.routes.len() as u32;
            let route = *routes.entry(named.clone()).or_insert(next);
            if route == next {
                let mut slot = |piece: u32, joint: u32| {
                    *arms.entry((piece, joint)).or_insert_with(|| {
                        self.arms.push((piece, joint));
                        self.arms.len() as u32 - 1
                    })
                };
                let step = |(k, (joint, first, second)): (usize, (u32, Option<u32>, u32))| RouteStep {
                    joint,
                    first: first.map(|piece| slot(piece, joint)),
                    second: slot(second, joint),
                    is_back: k < back,
                };
                let steps = named.into_iter().enumerate().map(step).collect();
                self.routes.push(steps);
            }
            self.duos[number].route = route;
        }
        let moving = self.pieces.iter().filter(|piece| piece.frame.is_some());
        self.error = moving.map(|piece| piece.error).filter(|x| x.is_finite()).fold(0.0, f64::max);
    }

    fn fits(&self) -> bool {
        let fits = |size: f64| size > SIZES[0] && size < SIZES[1];
        let used = self.moving.iter().map(|&(piece, _)| &self.pieces[piece as usize]);
        let bounded = |piece: &Piece| piece.whole.radius.is_finite();
        used.filter(|piece| bounded(piece)).all(|piece| {
            let far = piece.whole.center.length() + piece.whole.radius;
            fits(piece.whole.radius) && far < SIZES[1] && piece.error < SIZES[1]
        }) && self.joints.iter().all(|joint| joint.shift.iter().all(|x| x.abs() < SIZES[1] as f32))
    }

    /// No point of a piece is further from the first robot's root, give or take its size.
    pub(super) fn reach(&self) -> f64 {
        self.error / (96.0 * U)
    }

    /// No longer looks for planes between the pieces of pairs where it found few.
    pub(super) fn drop_planes(&mut self, memory: &Memory) {
        for (duo, [vain, found]) in self.duos.iter_mut().zip(&memory.planes) {
            duo.planes &= vain + found < 8 || 2 * found >= *vain;
        }
    }

    /// Memory to ask with.
    pub(super) fn memory(&self) -> Memory {
        let frame = Frame { turn: [[ZERO; 3]; 3], shift: [ZERO; 3] };
        let place = |center: DVec3| [0, 1, 2].map(|axis| Row([center[axis] as f32; LANES]));
        let still = |piece: &Piece| Centers {
            whole: place(piece.whole.center),
            core: place(piece.core.map_or(DVec3::ZERO, |core| core.center)),
        };
        Memory {
            values: vec![ZERO; self.turns.len()],
            frames: vec![frame; self.joints.len()],
            centers: self.pieces.iter().map(still).collect(),
            cells: vec![[0; LANES]; self.turns.len()],
            near: Vec::new(),
            todo: Vec::new(),
            hit: [None; LANES],
            wild: 0,
            planes: vec![[0; 2]; self.duos.len()],
            arms: vec![ZERO; self.arms.len()],
            levers: vec![[ZERO; 3]; self.arms.len()],
            steps: vec![ZERO; self.joints.len()],
            ways: vec![ZERO; self.routes.len()],
        }
    }
}

/// A length and its square, with what comparing the square of a distance with it errs by: less than 8 roundoffs.
fn widened(length: f64) -> (f32, f32) {
    ((length * (1.0 + 32.0 * U)) as f32, (length * length * (1.0 + 32.0 * U)) as f32)
}

/// A ball around balls.
fn around(balls: &[Sphere]) -> Sphere {
    if let [ball] = balls {
        return *ball;
    }
    let mut center = Sphere::smallest(&balls.iter().map(|ball| ball.center).collect::<Vec<_>>()).center;
    if !center.is_finite() {
        center = balls[0].center;
    }
    let reach = |ball: &Sphere| (ball.center.distance(center) + ball.radius) * (1.0 + 1e-12);
    Sphere { center, radius: balls.iter().map(reach).fold(0.0, f64::max) }
}

#[derive(Clone, Copy, Debug)]
struct Centers {
    whole: [Row; 3],
    core: [Row; 3],
}

impl Memory {
    /// The pairs whose largest balls meet, with the configurations in which they do and no table parts them.
    pub(super) fn near(&self) -> &[(u32, u16)] {
        &self.near
    }
}

/// What a block of configurations is worked out in.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    values: Vec<Row>,
    frames: Vec<Frame>,
    centers: Vec<Centers>,
    /// For variables of tables, the row or column that each configuration is in.
    pub(super) cells: Vec<[u8; LANES]>,
    near: Vec<(u32, u16)>,
    /// Lanes and the numbers of pairs that nothing is certain of, with how deep their balls are.
    pub(super) todo: Vec<(u8, u32, f32)>,
    /// The pair that each configuration is known to be hit by.
    pub(super) hit: [Option<u32>; LANES],
    /// Configurations with slides beyond what is sketched: nothing is said of them.
    pub(super) wild: u16,
    /// How often a plane between each pair of pieces was looked for in vain, and how often it was found.
    planes: Vec<[u32; 2]>,
    /// Distances of [`Sketch::arms`], how the piece's middle moves as the joint turns, and distances along a
    /// route.
    arms: Vec<Row>,
    levers: Vec<[Row; 3]>,
    steps: Vec<Row>,
    /// How far the pieces at the ends of each route may come nearer to each other.
    pub(super) ways: Vec<Row>,
}
