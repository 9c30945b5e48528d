//! One pair of meshes on many threads: the answers of one thread, in the same order.

use crate::common::{merged, mesh, model};
use glam::{DVec3, dvec3};
use noli::answer::{Completeness, First, Intersection, Next, Sink};
use noli::query::{ClearanceQuery, IntersectionsQuery};
use noli::{Budget, Model, Overlap, Placed, Pose, QueryContext, Scratch};
use noli_scenes::{SplitMix64, bumpy_sphere, torus};
use std::sync::atomic::AtomicBool;

fn on<R: Send>(threads: usize, query: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(query)
}

fn context(scratch: &mut Scratch, is_parallel: bool) -> QueryContext<'_> {
    let context = QueryContext::new(scratch).surfaces_only();
    if is_parallel { context.in_parallel() } else { context }
}

/// Everything about two bodies, and about the first alone.
fn account(
    a: &Placed<'_>,
    b: &Placed<'_>,
    is_parallel: bool,
) -> (Vec<Intersection>, Vec<Intersection>, String) {
    let mut scratch = Scratch::default();
    let (mut crossings, mut own) = (Vec::new(), Vec::new());
    let query = IntersectionsQuery::default();
    assert_eq!(
        context(&mut scratch, is_parallel).intersections(a, b, &query, &mut crossings),
        Completeness::Complete
    );
    assert_eq!(
        context(&mut scratch, is_parallel).self_intersections(a.model, &query, &mut own),
        Completeness::Complete
    );
    let overlap = context(&mut scratch, is_parallel).overlap(a, b);
    let relation = context(&mut scratch, is_parallel).relation(a, b);
    let within =
        [1e-3, 0.01, 0.1].map(|margin| context(&mut scratch, is_parallel).within_distance(a, b, margin));
    let count = context(&mut scratch, is_parallel).count_intersections(a, b, u64::MAX);
    (crossings, own, format!("{overlap:?} {relation:?} {within:?} {count:?}"))
}

fn clearance(a: &Placed<'_>, b: &Placed<'_>) -> String {
    let mut scratch = Scratch::default();
    let found = QueryContext::new(&mut scratch).in_parallel().clearance(a, b, &ClearanceQuery::default());
    let plain = noli::clearance(a, b).distance;
    assert!(found.distance.at_least <= plain.at_most && plain.at_least <= found.distance.at_most);
    assert!(found.distance.width() <= 2.0 * plain.width() + 1e-13, "{found:?} {plain:?}");
    format!("{found:?}")
}

fn scaled(frequency: u32, scale: f64) -> Model {
    let mut set = bumpy_sphere(frequency, 0.3);
    set.vertices.iter_mut().for_each(|v| *v *= scale);
    model(&mesh(set))
}

/// Crossing bodies, shells close to each other, copies of faces, and a tube through itself.
fn pairs() -> Vec<(Model, Model, Pose)> {
    let (sphere, other) = (scaled(40, 1.0), scaled(37, 1.0));
    let at = |x: f64| Pose::from_translation(dvec3(x, 0.1, 0.2));
    let copies = model(&mesh(merged([bumpy_sphere(16, 0.3), bumpy_sphere(16, 0.3), bumpy_sphere(16, 0.3)])));
    let tube = model(&mesh(torus(1.0, 1.3, 120, 80)));
    vec![
        (sphere.clone(), other.clone(), at(0.5)),
        (sphere.clone(), scaled(40, 1.001), Pose::IDENTITY),
        (sphere, scaled(39, 1.02), Pose::IDENTITY),
        (scaled(12, 1.0), scaled(12, 1.0), Pose::IDENTITY),
        (copies.clone(), copies, at(0.3)),
        (tube, other, at(0.7)),
    ]
}

#[test]
fn answers_are_those_of_one_walk() {
    for (number, (a, b, pose)) in pairs().iter().enumerate() {
        let (a, b) = (a.at(Pose::IDENTITY), b.at(*pose));
        let plain = account(&a, &b, false);
        let near = on(1, || clearance(&a, &b));
        for threads in [1, 2, 5] {
            assert_eq!(on(threads, || account(&a, &b, true)), plain, "pair {number}, {threads} threads");
            assert_eq!(on(threads, || clearance(&a, &b)), near, "pair {number}, {threads} threads");
        }
    }
}

#[test]
fn budgets_are_honoured() {
    let (a, b) = (scaled(40, 1.0), scaled(40, 1.001));
    let (a, b) = (a.at(Pose::IDENTITY), b.at(Pose::IDENTITY));
    let mut random = SplitMix64::new(3);
    let mut scratch = Scratch::default();
    for _ in 0..20 {
        // Steps are counted in sequence.
        let steps = (random.unit() * 20_000.0) as u64;
        let plain =
            QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps)).overlap(&a, &b);
        let mut context =
            QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps)).in_parallel();
        assert_eq!(context.overlap(&a, &b), plain);
        assert!(context.steps() <= steps);
    }
    let stop = AtomicBool::new(true);
    let budget = Budget::default().cancelled_by(&stop);
    let mut context = QueryContext::new(&mut scratch).with_budget(budget).in_parallel();
    assert_eq!(context.overlap(&a, &b), Overlap::Unknown);
}

/// Little memory: tasks hold few results and are walked again.
#[test]
fn little_memory_gives_the_same_list() {
    let sphere = scaled(24, 1.0);
    let (a, b) = (sphere.at(Pose::IDENTITY), sphere.at(Pose::from_translation(DVec3::X * 1e-3)));
    let expected = noli::intersections(&a, &b);
    let mut scratch = Scratch::default();
    for bytes in [0, 1 << 14, 1 << 18] {
        let mut found: Vec<Intersection> = Vec::new();
        let budget = Budget::default().memory(bytes);
        let mut context = QueryContext::new(&mut scratch).with_budget(budget).in_parallel();
        let completeness = context.intersections(&a, &b, &IntersectionsQuery::default(), &mut found);
        assert_eq!((completeness, &found), (Completeness::Complete, &expected.items), "{bytes} bytes");
    }
    let mut first = First::default();
    let mut context = QueryContext::new(&mut scratch).in_parallel();
    let completeness = context.intersections(&a, &b, &IntersectionsQuery::default(), &mut first);
    assert_eq!(completeness, Completeness::Enough);
    assert_eq!(first.0.as_ref(), expected.items.first());
}

/// A sink that stops has the beginning of the whole list and is not called again.
#[test]
fn a_sink_that_stops_has_the_first_of_the_list() {
    struct Few {
        items: Vec<Intersection>,
        wanted: usize,
    }
    impl Sink for Few {
        fn hit(&mut self, found: &Intersection) -> Next {
            assert!(self.items.len() < self.wanted, "called after it has stopped");
            self.items.push(*found);
            if self.items.len() < self.wanted { Next::Continue } else { Next::Stop }
        }
    }
    let (sphere, other) = (scaled(60, 1.0), scaled(57, 1.0));
    let (a, b) = (sphere.at(Pose::IDENTITY), other.at(Pose::from_translation(dvec3(0.5, 0.1, 0.2))));
    let whole = noli::intersections(&a, &b).items;
    assert!(whole.len() > 300, "{}", whole.len());
    let mut scratch = Scratch::default();
    for wanted in [1, 2, 3, 4, 100, whole.len() - 1, whole.len(), whole.len() + 1] {
        let mut sink = Few { items: Vec::new(), wanted };
        let query = IntersectionsQuery::default();
        let ended =
            on(2, || QueryContext::new(&mut scratch).in_parallel().intersections(&a, &b, &query, &mut sink));
        let expected = if wanted <= whole.len() { Completeness::Enough } else { Completeness::Complete };
        assert_eq!(ended, expected, "{wanted}");
        assert_eq!(sink.items, whole[..wanted.min(whole.len())], "{wanted}");
    }
}
