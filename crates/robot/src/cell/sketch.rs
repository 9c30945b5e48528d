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

use super::table::Tables;
use super::{Cell, Rule};
use crate::LANES;
use crate::tree::Movement;
use glam::{DQuat, DVec3};
use noli::Pose;
use noli::internals::{Simd, Task};
use noli_geom::Sphere;
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
}

impl Balls {
    /// Of balls in the frame they are on, their radii changed by how far they may be off.
    fn new(balls: &[Sphere], change: f64) -> Self {
        let mut all = Self { center: [ZERO; 3], radius: ZERO, count: balls.len() };
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
    /// The same below which they meet; negative if nothing is known to.
    meet: f32,
    /// The margin, rounded up.
    more: f32,
    /// A body without bounds: nothing is known.
    open: bool,
    /// The joints between them.
    pub(super) route: u32,
}

/// A joint on the way from one piece to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RouteStep {
    joint: u32,
    /// Which of [`Sketch::arms`] is that of the first piece, if it moves, and of the second.
    first: Option<u32>,
    second: u32,
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
        let mut inner: Vec<Sphere> = covers().flat_map(|cover| &cover.inner_balls).map(on_frame).collect();
        inner.sort_by(|a, b| b.radius.total_cmp(&a.radius));
        let wholes: Vec<Sphere> = covers().map(|cover| on_frame(&cover.whole)).collect();
        let whole = around(&wholes);
        let length = stand.length + whole.center.length() + whole.radius;
        let error = 96.0 * U * (stand.joints + 2.0) * length;
        self.pieces.push(Piece {
            frame: stand.frame,
            whole,
            core: inner.first().copied().filter(|core| core.radius > error),
            outside: ((whole.radius + error) * (1.0 + 4.0 * U)) as f32,
            outer: Balls::new(&outer, error),
            inner: Balls::new(
                &inner.iter().copied().filter(|ball| ball.radius > error).collect::<Vec<_>>(),
                -error,
            ),
            error,
            bodies,
        });
    }

    fn add_duos(&mut self, cell: &Cell, of_body: &[u32]) {
        let mut seen = HashSet::new();
        for pair in &cell.on {
            let pieces = pair.bodies.map(|body| of_body[body as usize]);
            if !seen.insert(pieces) {
                continue;
            }
            let [a, b] = pieces.map(|piece| &self.pieces[piece as usize]);
            let Rule::On { margin } = cell.pairs[pair.pair as usize].rule else { continue };
            let error = a.error + b.error;
            let reach = a.whole.radius + b.whole.radius + margin + error;
            let depth = match (a.core, b.core) {
                (Some(a), Some(b)) => a.radius + b.radius - error,
                _ => -1.0,
            };
            // The square errs by less than 8 roundoffs.
            let meet = if depth > 0.0 { (depth * depth * (1.0 - 32.0 * U)) as f32 } else { -1.0 };
            self.duos.push(Duo {
                pieces,
                pair: pair.pair,
                margin,
                reach: (reach * (1.0 + 32.0 * U)) as f32,
                apart: (reach * reach * (1.0 + 32.0 * U)) as f32,
                meet,
                more: (margin * (1.0 + 4.0 * U)) as f32,
                open: !reach.is_finite(),
                route: 0,
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
            let next = self.routes.len() as u32;
            let route = *routes.entry(named.clone()).or_insert(next);
            if route == next {
                let mut slot = |piece: u32, joint: u32| {
                    *arms.entry((piece, joint)).or_insert_with(|| {
                        self.arms.push((piece, joint));
                        self.arms.len() as u32 - 1
                    })
                };
                let step = |(joint, first, second): (u32, Option<u32>, u32)| RouteStep {
                    joint,
                    first: first.map(|piece| slot(piece, joint)),
                    second: slot(second, joint),
                };
                let steps = named.into_iter().map(step).collect();
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
            arms: vec![ZERO; self.arms.len()],
            steps: vec![ZERO; self.joints.len()],
            ways: vec![ZERO; self.routes.len()],
        }
    }
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
    /// Distances of [`Sketch::arms`], and those along a route.
    arms: Vec<Row>,
    steps: Vec<Row>,
    /// How far the pieces at the ends of each route may come nearer to each other.
    pub(super) ways: Vec<Row>,
}

/// Looks at up to sixteen configurations, one after the other in `states`.
pub(super) struct Look<'a> {
    pub(super) sketch: &'a Sketch,
    pub(super) tables: Option<&'a Tables>,
    pub(super) memory: &'a mut Memory,
    pub(super) states: &'a [f64],
}

impl Task for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { sketch, tables, memory, states } = self;
        let size = sketch.turns.len();
        let count = states.len() / size;
        fill(sketch, memory, states, count);
        frames(s, sketch, memory);
        centers(s, sketch, memory);
        memory.hit = [None; LANES];
        memory.todo.clear();
        let all = (((1u32 << count) - 1) & 0xffff) as u16;
        let mut open = all & !memory.wild;
        for (number, duo) in sketch.duos.iter().enumerate() {
            if duo.meet <= 0.0 {
                continue;
            }
            let [a, b] = duo.pieces.map(|piece| &memory.centers[piece as usize].core);
            let mut inside = s.gt(s.splat(duo.meet), distance_sq(s, a, b)) & open;
            open &= !inside;
            while inside != 0 {
                memory.hit[inside.trailing_zeros() as usize] = Some(number as u32);
                inside &= inside - 1;
            }
            if open == 0 {
                return;
            }
        }
        if let Some(tables) = tables {
            tables.locate(&memory.values, &mut memory.cells);
        }
        memory.near.clear();
        for (number, duo) in sketch.duos.iter().enumerate() {
            let [a, b] = duo.pieces.map(|piece| &memory.centers[piece as usize].whole);
            let mut near = open & !s.gt(distance_sq(s, a, b), s.splat(duo.apart));
            if near != 0
                && let Some(tables) = tables
            {
                near &= !tables.apart(number, &memory.cells);
            }
            if near != 0 {
                memory.near.push((number as u32, near));
            }
        }
        for k in 0..memory.near.len() {
            let (number, mut lanes) = memory.near[k];
            let duo = &sketch.duos[number as usize];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if memory.hit[lane].is_some() {
                    continue;
                }
                match told(s, sketch, memory, duo, lane, duo.more) {
                    Told::Apart => {}
                    Told::Meet => memory.hit[lane] = Some(number),
                    Told::Open(depth) => memory.todo.push((lane as u8, number, depth)),
                }
            }
        }
        // What is deepest meets likeliest.
        let hit = memory.hit;
        memory.todo.retain(|&(lane, ..)| hit[usize::from(lane)].is_none());
        memory.todo.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.1.cmp(&b.1)));
    }
}

/// Looks at up to sixteen parts of a straight way in joint space, by the configurations in their middles.
pub(super) struct LookAlong<'a> {
    pub(super) sketch: &'a Sketch,
    pub(super) memory: &'a mut Memory,
    pub(super) states: &'a [f64],
    /// How far from its middle each part goes, as a share of the way.
    pub(super) halves: &'a [f32; LANES],
    /// How far each variable goes in all, rounded up.
    pub(super) pace: &'a [f32],
    /// The pairs that are open in each part; `None` for all.
    pub(super) open: Option<&'a [Vec<u32>]>,
}

impl Task for LookAlong<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { sketch, memory, states, halves, pace, open } = self;
        let count = states.len() / sketch.turns.len();
        fill(sketch, memory, states, count);
        frames(s, sketch, memory);
        centers(s, sketch, memory);
        ways(s, sketch, memory, halves, pace);
        memory.hit = [None; LANES];
        memory.todo.clear();
        memory.near.clear();
        let all = (((1u32 << count) - 1) & 0xffff) as u16;
        match open {
            None => {
                for (number, duo) in sketch.duos.iter().enumerate() {
                    let [a, b] = duo.pieces.map(|piece| &memory.centers[piece as usize].whole);
                    let reach = s.splat(duo.reach) + s.load(&memory.ways[duo.route as usize].0);
                    let reach_sq = reach * reach * s.splat(1.0 + 32.0 * U as f32);
                    let near = all & !s.gt(distance_sq(s, a, b), reach_sq);
                    if near != 0 {
                        memory.near.push((number as u32, near));
                    }
                }
            }
            Some(open) => {
                for (lane, numbers) in open.iter().enumerate().take(count) {
                    memory.near.extend(numbers.iter().map(|&number| (number, 1u16 << lane)));
                }
            }
        }
        for k in 0..memory.near.len() {
            let (number, mut lanes) = memory.near[k];
            let duo = &sketch.duos[number as usize];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let more = (duo.more + memory.ways[duo.route as usize].0[lane]) * (1.0 + 4.0 * U as f32);
                match told(s, sketch, memory, duo, lane, more) {
                    Told::Apart => {}
                    Told::Meet => {
                        memory.hit[lane] = Some(number);
                        return;
                    }
                    Told::Open(depth) => memory.todo.push((lane as u8, number, depth)),
                }
            }
        }
    }
}

/// How far pieces may come nearer to each other in the parts, by every route: the joints between them turn one
/// after the other, each by its share, the pieces behind it no further from its axis than now and as far as
/// the joints beyond have moved them, seen from whichever piece is nearer.
#[inline(always)]
fn ways<S: Simd>(s: S, sketch: &Sketch, memory: &mut Memory, halves: &[f32; LANES], pace: &[f32]) {
    let slack = s.splat((8.0 * sketch.error) as f32);
    for (slot, &(piece, joint)) in sketch.arms.iter().enumerate() {
        if sketch.joints[joint as usize].slides {
            memory.arms[slot] = Row([1.0; LANES]);
            continue;
        }
        let frame = &memory.frames[joint as usize];
        let center = &memory.centers[piece as usize].whole;
        let x = s.load(&center[0].0) - s.load(&frame.shift[0].0);
        let y = s.load(&center[1].0) - s.load(&frame.shift[1].0);
        let z = s.load(&center[2].0) - s.load(&frame.shift[2].0);
        let (u, v, w) =
            (s.load(&frame.turn[0][2].0), s.load(&frame.turn[1][2].0), s.load(&frame.turn[2][2].0));
        let (p, q, r) = (y * w - z * v, z * u - x * w, x * v - y * u);
        let radius = s.splat(sketch.pieces[piece as usize].whole.radius as f32);
        memory.arms[slot].0 = s.store(s.sqrt(p * p + q * q + r * r) + radius + slack);
    }
    let half = s.load(halves);
    for (number, route) in sketch.routes.iter().enumerate() {
        let share = |step: &RouteStep| {
            let joint = &sketch.joints[step.joint as usize];
            (half * s.splat(pace[joint.variable as usize]), joint.slides)
        };
        let mut beyond = s.splat(0.0);
        // What the second piece is moved by each joint; the first may be moved less.
        for (k, step) in route.iter().enumerate().rev() {
            let (share, slides) = share(step);
            let arm = s.load(&memory.arms[step.second as usize].0);
            let reach = if slides { arm } else { arm + beyond };
            memory.steps[k].0 = s.store(reach);
            beyond = beyond + share * reach;
        }
        if route.first().is_some_and(|step| step.first.is_some()) {
            let (mut back, mut least) = (s.splat(0.0), s.splat(0.0));
            for (k, step) in route.iter().enumerate() {
                let (share, slides) = share(step);
                let arm = s.load(&memory.arms[step.first.unwrap_or(step.second) as usize].0);
                let reach = if slides { arm } else { arm + back };
                back = back + share * reach;
                least = least + share * s.min(reach, s.load(&memory.steps[k].0));
            }
            beyond = least;
        }
        memory.ways[number].0 = s.store(beyond * s.splat(1.000_01));
    }
}

/// Angles within half a turn either way, in single precision; the last configuration stands in for those
/// that are missing.
#[inline(always)]
fn fill(sketch: &Sketch, memory: &mut Memory, states: &[f64], count: usize) {
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    const TURN: f64 = std::f64::consts::TAU;
    let size = sketch.turns.len();
    for variable in 0..size {
        let mut raw = [0.0f64; LANES];
        if count == LANES {
            for lane in 0..LANES {
                raw[lane] = states[lane * size + variable];
            }
        } else {
            for lane in 0..LANES {
                raw[lane] = states[lane.min(count - 1) * size + variable];
            }
        }
        let row = &mut memory.values[variable].0;
        if sketch.turns[variable] {
            for lane in 0..LANES {
                let turns = (raw[lane] * (1.0 / TURN) + ROUNDER) - ROUNDER;
                row[lane] = (raw[lane] - turns * TURN) as f32;
            }
        } else {
            for lane in 0..LANES {
                row[lane] = raw[lane] as f32;
            }
        }
    }
    memory.wild = 0;
    for &variable in &sketch.slides {
        let most = (sketch.bounds[variable as usize] * (1.0 + 1e-6)) as f32;
        for lane in 0..LANES {
            memory.wild |= u16::from(memory.values[variable as usize].0[lane].abs() > most) << lane;
        }
    }
}

/// Sine and cosine of angles within half a turn either way, each within `8u`.
///
/// Both are the sine of an angle within a quarter turn: `cos r = sin(π/2 - |r|)`, and `sin r = sin(π - r)`
/// beyond. Taylor's series up to the eleventh power leaves less than `u` there.
#[inline(always)]
fn sin_cos<S: Simd>(s: S, r: S::F) -> (S::F, S::F) {
    use std::f32::consts::{FRAC_PI_2, PI};
    let folded = s.min(s.max(r, s.splat(-PI) - r), s.splat(PI) - r);
    (sine(s, folded), sine(s, s.splat(FRAC_PI_2) - s.abs(r)))
}

#[inline(always)]
fn sine<S: Simd>(s: S, x: S::F) -> S::F {
    const C: [f32; 5] = [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    let z = x * x;
    let mut sum = s.splat(C[4]);
    sum = sum * z + s.splat(C[3]);
    sum = sum * z + s.splat(C[2]);
    sum = sum * z + s.splat(C[1]);
    sum = sum * z + s.splat(C[0]);
    x + x * (z * sum)
}

#[inline(always)]
fn frames<S: Simd>(s: S, sketch: &Sketch, memory: &mut Memory) {
    for (number, joint) in sketch.joints.iter().enumerate() {
        let value = s.load(&memory.values[joint.variable as usize].0);
        let mut turn = [[s.splat(0.0); 3]; 3];
        let mut shift = [s.splat(0.0); 3];
        match joint.parent {
            None => {
                for row in 0..3 {
                    shift[row] = s.splat(joint.shift[row]);
                    for column in 0..3 {
                        turn[row][column] = s.splat(joint.turn[row][column]);
                    }
                }
            }
            Some(parent) => {
                let parent = &memory.frames[parent as usize];
                for row in 0..3 {
                    let own = [
                        s.load(&parent.turn[row][0].0),
                        s.load(&parent.turn[row][1].0),
                        s.load(&parent.turn[row][2].0),
                    ];
                    let constants = &joint.shift;
                    let moved = own[0] * s.splat(constants[0])
                        + own[1] * s.splat(constants[1])
                        + own[2] * s.splat(constants[2]);
                    shift[row] = s.load(&parent.shift[row].0) + moved;
                    let columns = if joint.slides { 1 } else { 3 };
                    for column in 0..columns {
                        turn[row][column] = own[0] * s.splat(joint.turn[0][column])
                            + own[1] * s.splat(joint.turn[1][column])
                            + own[2] * s.splat(joint.turn[2][column]);
                    }
                }
            }
        }
        if joint.slides {
            for row in 0..3 {
                shift[row] = shift[row] + turn[row][0] * value;
            }
            match joint.parent {
                None => {
                    for row in 0..3 {
                        for column in 0..3 {
                            turn[row][column] = s.splat(if row == column { 1.0 } else { 0.0 });
                        }
                    }
                }
                Some(parent) => {
                    let parent = &memory.frames[parent as usize];
                    for row in 0..3 {
                        for column in 0..3 {
                            turn[row][column] = s.load(&parent.turn[row][column].0);
                        }
                    }
                }
            }
        } else {
            let (sin, cos) = sin_cos(s, value);
            for row in 0..3 {
                let [x, y] = [turn[row][0], turn[row][1]];
                turn[row][0] = x * cos + y * sin;
                turn[row][1] = y * cos - x * sin;
            }
        }
        let frame = &mut memory.frames[number];
        for row in 0..3 {
            frame.shift[row].0 = s.store(shift[row]);
            for column in 0..3 {
                frame.turn[row][column].0 = s.store(turn[row][column]);
            }
        }
    }
}

#[inline(always)]
fn centers<S: Simd>(s: S, sketch: &Sketch, memory: &mut Memory) {
    for &(number, core) in &sketch.moving {
        let piece = &sketch.pieces[number as usize];
        let Some(frame) = piece.frame else { continue };
        let frame = &memory.frames[frame as usize];
        let out = &mut memory.centers[number as usize];
        place(s, frame, piece.whole.center, &mut out.whole);
        if core && let Some(core) = &piece.core {
            place(s, frame, core.center, &mut out.core);
        }
    }
}

#[inline(always)]
fn place<S: Simd>(s: S, frame: &Frame, center: DVec3, out: &mut [Row; 3]) {
    let [x, y, z] = [s.splat(center.x as f32), s.splat(center.y as f32), s.splat(center.z as f32)];
    for row in 0..3 {
        let turn = &frame.turn[row];
        let moved = s.load(&turn[0].0) * x + s.load(&turn[1].0) * y + s.load(&turn[2].0) * z;
        out[row].0 = s.store(s.load(&frame.shift[row].0) + moved);
    }
}

#[inline(always)]
fn distance_sq<S: Simd>(s: S, a: &[Row; 3], b: &[Row; 3]) -> S::F {
    let x = s.load(&a[0].0) - s.load(&b[0].0);
    let y = s.load(&a[1].0) - s.load(&b[1].0);
    let z = s.load(&a[2].0) - s.load(&b[2].0);
    x * x + y * y + z * z
}

/// Balls at their places in one configuration.
struct Set<S: Simd> {
    center: [S::F; 3],
    radius: S::F,
}

#[inline(always)]
fn set<S: Simd>(s: S, balls: &Balls, place: &Place) -> Set<S> {
    let [x, y, z] = [s.load(&balls.center[0].0), s.load(&balls.center[1].0), s.load(&balls.center[2].0)];
    let radius = s.load(&balls.radius.0);
    let Some((turn, shift)) = place else { return Set { center: [x, y, z], radius } };
    let mut center = [x, y, z];
    for row in 0..3 {
        let moved = x * s.splat(turn[row][0]) + y * s.splat(turn[row][1]) + z * s.splat(turn[row][2]);
        center[row] = s.splat(shift[row]) + moved;
    }
    Set { center, radius }
}

/// One configuration's frame; `None` for what stands still.
type Place = Option<([[f32; 3]; 3], [f32; 3])>;

#[inline(always)]
fn in_lane(frames: &[Frame], piece: &Piece, lane: usize) -> Place {
    let frame = &frames[piece.frame? as usize];
    let mut turn = [[0.0; 3]; 3];
    let mut shift = [0.0; 3];
    for row in 0..3 {
        shift[row] = frame.shift[row].0[lane];
        for column in 0..3 {
            turn[row][column] = frame.turn[row][column].0[lane];
        }
    }
    Some((turn, shift))
}

/// What the balls of two pieces tell in one configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    Apart,
    Meet,
    /// Nothing; the larger the number, the deeper the balls around them are in each other.
    Open(f32),
}

#[inline(always)]
fn told<S: Simd>(s: S, sketch: &Sketch, memory: &Memory, duo: &Duo, lane: usize, more: f32) -> Told {
    if duo.open {
        return Told::Open(0.0);
    }
    let [a, b] = duo.pieces.map(|piece| &sketch.pieces[piece as usize]);
    let [ball_a, ball_b] = duo.pieces.map(|piece| {
        let center = &memory.centers[piece as usize].whole;
        let radius = sketch.pieces[piece as usize].outside;
        ([center[0].0[lane], center[1].0[lane], center[2].0[lane]], radius)
    });
    let place_a = in_lane(&memory.frames, a, lane);
    let mut x = set(s, &a.outer, &place_a);
    x.radius = x.radius + s.splat(more);
    // Only balls that reach the ball around the other piece may reach any of its balls.
    let near_a = reaching(s, &x, ball_b) & first(a.outer.count);
    if near_a == 0 {
        return Told::Apart;
    }
    let place_b = in_lane(&memory.frames, b, lane);
    let y = set(s, &b.outer, &place_b);
    let near_b = reaching(s, &y, (ball_a.0, ball_a.1 + more));
    if near_b == 0 {
        return Told::Apart;
    }
    let depth = deepest(s, &x, near_a, &y, near_b, 1.0 + 32.0 * U as f32);
    if depth <= 0.0 {
        return Told::Apart;
    }
    if a.inner.count == 0 || b.inner.count == 0 {
        return Told::Open(depth);
    }
    let [x, y] = [set(s, &a.inner, &place_a), set(s, &b.inner, &place_b)];
    if any(s, &x, a.inner.count, &y, 1.0 - 32.0 * U as f32) { Told::Meet } else { Told::Open(depth) }
}

/// The first lanes.
#[inline(always)]
fn first(count: usize) -> u16 {
    (((1u32 << count) - 1) & 0xffff) as u16
}

/// Which balls of a set reach a ball.
#[inline(always)]
fn reaching<S: Simd>(s: S, set: &Set<S>, (center, radius): ([f32; 3], f32)) -> u16 {
    let x = set.center[0] - s.splat(center[0]);
    let y = set.center[1] - s.splat(center[1]);
    let z = set.center[2] - s.splat(center[2]);
    let sum = set.radius + s.splat(radius);
    !s.gt(x * x + y * y + z * z, sum * sum * s.splat(1.0 + 32.0 * U as f32))
}

/// By how much the square of the sum of two radii, times `factor`, exceeds the square of the distance at most;
/// not above 0 if all are apart.
#[inline(always)]
fn deepest<S: Simd>(s: S, a: &Set<S>, mut near_a: u16, b: &Set<S>, near_b: u16, factor: f32) -> f32 {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut most = s.splat(f32::MIN);
    while near_a != 0 {
        let k = near_a.trailing_zeros() as usize & 15;
        near_a &= near_a - 1;
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        most = s.max(most, sum * sum * s.splat(factor) - (x * x + y * y + z * z));
    }
    let lanes = s.store(s.select(near_b, most, s.splat(f32::MIN)));
    let mut deepest = f32::MIN;
    for lane in 0..LANES {
        deepest = if lanes[lane] > deepest { lanes[lane] } else { deepest };
    }
    deepest
}

/// Whether any of the first balls is nearer to any of the others than both radii, the square times `factor`.
#[inline(always)]
fn any<S: Simd>(s: S, a: &Set<S>, count: usize, b: &Set<S>, factor: f32) -> bool {
    let center = [s.store(a.center[0]), s.store(a.center[1]), s.store(a.center[2])];
    let radius = s.store(a.radius);
    let mut meet = 0;
    for k in 0..count.min(LANES) {
        let x = s.splat(center[0][k]) - b.center[0];
        let y = s.splat(center[1][k]) - b.center[1];
        let z = s.splat(center[2][k]) - b.center[2];
        let sum = s.splat(radius[k]) + b.radius;
        meet |= s.gt(sum * sum * s.splat(factor), x * x + y * y + z * z);
    }
    meet != 0
}

#[cfg(test)]
mod tests {
    use super::super::state::shares;
    use super::super::{Cell, CellPlan};
    use super::*;
    use crate::{PumaSet, puma560, read_urdf};
    use noli::internals::{Instructions, dispatch};
    use noli::{Convex, Model};
    use std::sync::Arc;

    struct Sines(Row);

    impl Task for Sines {
        type Output = [[f32; LANES]; 2];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let (sin, cos) = sin_cos(s, s.load(&self.0.0));
            [s.store(sin), s.store(cos)]
        }
    }

    #[test]
    fn sine_and_cosine_err_by_less_than_eight_roundoffs() {
        let mut share = shares(3);
        let mut worst = 0.0f64;
        for k in 0..40_000 {
            let angle = |_| match k % 4 {
                0 => (share() * 2.0 - 1.0) * std::f64::consts::PI,
                1 => std::f64::consts::PI - share() * 1e-3,
                2 => std::f64::consts::FRAC_PI_2 + (share() - 0.5) * 1e-3,
                _ => (share() - 0.5) * 1e-3,
            };
            let row = Row(std::array::from_fn(angle).map(|x: f64| x as f32));
            let [sin, cos] = dispatch(Instructions::best(), Sines(row));
            for lane in 0..LANES {
                let x = f64::from(row.0[lane]);
                worst = worst.max((f64::from(sin[lane]) - x.sin()).abs());
                worst = worst.max((f64::from(cos[lane]) - x.cos()).abs());
            }
        }
        assert!(worst < 8.0 * U, "{} roundoffs", worst / U);
    }

    const GANTRY: &str = r#"<robot name="gantry">
<link name="rail"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
<link name="cart"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0 0 -0.4" rpy="0.1 0.2 0.3"/>
<geometry><cylinder radius="0.05" length="0.5"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius="0.07"/></geometry></collision>
<collision><origin xyz="0.1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
<origin xyz="0 0.1 -0.3" rpy="0.2 0 1"/><axis xyz="1 0.3 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="spin" type="continuous"><parent link="cart"/><child link="arm"/><origin xyz="0 0 -0.3" rpy="0 0.4 0"/>
<axis xyz="0.1 -0.2 1"/></joint>
<joint name="fixed" type="fixed"><parent link="arm"/><child link="wrist"/><origin xyz="0 0 -0.5" rpy="1 2 3"/></joint>
<link name="wrist"/>
<joint name="tilt" type="revolute"><parent link="wrist"/><child link="hand"/><origin xyz="0.1 0.1 0"/>
<axis xyz="0 -1 0"/><limit lower="-2" upper="5" velocity="1" effort="1"/></joint></robot>"#;

    fn cells() -> Vec<Cell> {
        let place = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(50.0, -20.0, 3.0));
        let robots = [puma560(PumaSet::FuGonzalezLee), read_urdf(GANTRY).unwrap()];
        let cell = |robot: crate::Robot| {
            let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
            let mut plan = CellPlan::default();
            plan.robot("", Arc::new(robot), place, &shapes).unwrap();
            let ball = Model::new(Convex::sphere(0.2).unwrap()).unwrap();
            for k in 0..3 {
                let at = place.translation + DVec3::new(0.4 * f64::from(k) - 0.4, 0.5, 0.3);
                plan.fixed(&format!("ball{k}"), &ball, Pose::from_translation(at)).unwrap();
            }
            plan.build()
        };
        robots.map(cell).into()
    }

    fn poses(cell: &Cell, values: &[f64]) -> Vec<Pose> {
        let mut poses = vec![Pose::IDENTITY; cell.links];
        let arm = &cell.arms[0];
        arm.robot.poses_by(&arm.world_from_root, |variable| values[variable as usize], &mut poses);
        poses
    }

    /// Where the middle of a piece is, by double precision, as seen from the first robot's root.
    fn middle(cell: &Cell, poses: &[Pose], piece: &Piece) -> DVec3 {
        let covers: Vec<Sphere> =
            piece.bodies.iter().map(|&body| cell.bodies[body as usize].cover.whole).collect();
        let body = &cell.bodies[piece.bodies[0] as usize];
        let center = body
            .carrier
            .map_or(around(&covers).center, |link| poses[link].transform_point(around(&covers).center));
        center - cell.arms[0].world_from_root.translation
    }

    #[test]
    fn places_are_within_the_stated_error() {
        for cell in cells() {
            let sketch = cell.sketch.as_ref().unwrap();
            let (mut memory, mut share, mut worst) = (sketch.memory(), shares(4), 0.0f64);
            for round in 0..200 {
                let mut states: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
                // Turns by the thousand change little.
                states.iter_mut().step_by(7).filter(|_| round % 2 == 0).for_each(|x| {
                    if x.abs() > 1.0 {
                        *x += 1000.0 * std::f64::consts::TAU;
                    }
                });
                let look = Look { sketch, tables: None, memory: &mut memory, states: &states };
                dispatch(Instructions::best(), look);
                for lane in (0..LANES).filter(|lane| memory.wild >> lane & 1 == 0) {
                    let poses = poses(&cell, &states[lane * cell.values..][..cell.values]);
                    for &(number, _) in &sketch.moving {
                        let piece = &sketch.pieces[number as usize];
                        let place = &memory.centers[number as usize].whole;
                        let found = DVec3::from_array([0, 1, 2].map(|axis| f64::from(place[axis].0[lane])));
                        worst = worst.max(found.distance(middle(&cell, &poses, piece)) / piece.error);
                    }
                }
            }
            assert!(worst < 0.25, "{worst} of the stated error");
        }
    }

    /// Every instruction set comes to the same, for any number of configurations.
    #[test]
    fn instructions_change_nothing() {
        for cell in cells() {
            let sketch = cell.sketch.as_ref().unwrap();
            let mut share = shares(5);
            for round in 0..100 {
                let count = 1 + round % LANES;
                let states: Vec<f64> = (0..count).flat_map(|_| cell.any_state(&mut share)).collect();
                let told = Instructions::available().into_iter().map(|set| {
                    let mut memory = sketch.memory();
                    dispatch(set, Look { sketch, tables: None, memory: &mut memory, states: &states });
                    (memory.hit, memory.todo, memory.wild)
                });
                let told: Vec<_> = told.collect();
                assert!(told.iter().all(|other| *other == told[0]));
            }
        }
    }

    /// No two pieces come nearer to each other in a part of a way than is stated.
    #[test]
    fn ways_bound_what_happens_in_a_part() {
        for cell in cells() {
            let sketch = cell.sketch.as_ref().unwrap();
            let (mut memory, mut share, mut tightest) = (sketch.memory(), shares(6), 0.0f64);
            for _ in 0..60 {
                let middles: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
                let way: Vec<f64> = (0..cell.values).map(|_| 0.6 * (share() - 0.5)).collect();
                let pace: Vec<f32> = way.iter().map(|way| (way.abs() * (1.0 + 1e-6)) as f32).collect();
                let halves = [0.5f32; LANES];
                let look = LookAlong {
                    sketch,
                    memory: &mut memory,
                    states: &middles,
                    halves: &halves,
                    pace: &pace,
                    open: None,
                };
                dispatch(Instructions::best(), look);
                for lane in (0..LANES).filter(|lane| memory.wild >> lane & 1 == 0) {
                    let values = &middles[lane * cell.values..][..cell.values];
                    let at = |share: f64| -> Vec<Pose> {
                        let values: Vec<f64> =
                            values.iter().zip(&way).map(|(x, way)| x + way * share).collect();
                        poses(&cell, &values)
                    };
                    let (now, later) = (at(0.0), at(share() - 0.5));
                    for duo in &sketch.duos {
                        let [a, b] = duo.pieces.map(|piece| &sketch.pieces[piece as usize]);
                        let gap = |poses: &[Pose]| {
                            middle(&cell, poses, a).distance(middle(&cell, poses, b))
                                - a.whole.radius
                                - b.whole.radius
                        };
                        let stated = f64::from(memory.ways[duo.route as usize].0[lane]);
                        let nearer = gap(&now) - gap(&later);
                        assert!(nearer <= stated, "{nearer} of {stated}");
                        tightest = tightest.max(nearer / stated);
                    }
                }
            }
            assert!(tightest > 0.2, "the bounds are of some use: {tightest}");
        }
    }
}
