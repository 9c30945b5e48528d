//! Batches give what single questions give, on any number of threads.

use noli::answer::*;
use noli::model::*;
use noli::query::*;
use noli::*;

fn models() -> [Model; 2] {
    [0.3, 1.1].map(|phase| {
        let set = noli_scenes::bumpy_sphere(10, phase);
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap();
        Model::new(&mesh).unwrap()
    })
}

const NOTHING: Clearance =
    Clearance { distance: Bracket::ZERO, witness: None, guarantee: Guarantee::Approximate };

fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn any_number_of_threads_gives_the_single_answers() {
    let [a, b] = models();
    let here = a.at(Pose::IDENTITY);
    let mut poses = noli_scenes::w1_poses(7, 200);
    poses[17].translation.x = f64::NAN;
    let pairs: Vec<_> = poses.iter().map(|&pose| (here, b.at(pose))).collect();
    let single: Vec<_> = pairs.iter().map(|(a, b)| overlap(a, b)).collect();
    let clearances: Vec<_> = pairs.iter().map(|(a, b)| clearance(a, b)).collect();
    assert_eq!(single[17], Overlap::Unknown);
    for answer in [Overlap::Free, Overlap::Hit] {
        assert!(single.iter().filter(|&&x| x == answer).count() > 20);
    }
    for threads in [1, 2, 4] {
        on_threads(threads, || {
            let mut answers = vec![Overlap::Unknown; poses.len()];
            batch(&poses, &mut answers, |pose, context| context.overlap(&here, &b.at(*pose))).unwrap();
            assert_eq!(answers, single);
            answers.fill(Overlap::Unknown);
            batch(&pairs, &mut answers, |(a, b), context| context.overlap(a, b)).unwrap();
            assert_eq!(answers, single);
            let mut found = vec![NOTHING; poses.len()];
            let query = ClearanceQuery::default();
            batch(&poses, &mut found, |pose, context| context.clearance(&here, &b.at(*pose), &query))
                .unwrap();
            assert_eq!(found, clearances);
            found.fill(NOTHING);
            batch(&pairs, &mut found, |(a, b), context| context.clearance(a, b, &query)).unwrap();
            assert_eq!(found, clearances);
        });
    }
}

#[test]
fn step_budgets_count_for_each_question() {
    let [a, b] = models();
    let poses = noli_scenes::w1_poses(8, 100);
    let budget = Budget::default().steps(60);
    let question = |pose: &Pose, context: &mut QueryContext<'_>| {
        context.reborrow().with_budget(budget).overlap(&a.at(Pose::IDENTITY), &b.at(*pose))
    };
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch);
    let single: Vec<_> = poses.iter().map(|pose| question(pose, &mut context)).collect();
    assert!(single.contains(&Overlap::Unknown) && single.iter().any(|&x| x != Overlap::Unknown));
    for threads in [1, 2, 4] {
        let mut answers = vec![Overlap::Free; poses.len()];
        on_threads(threads, || batch(&poses, &mut answers, question)).unwrap();
        assert_eq!(answers, single);
    }
}

#[test]
fn lengths_must_match() {
    let [a, b] = models();
    let context =
        |pose: &Pose, context: &mut QueryContext<'_>| context.overlap(&a.at(Pose::IDENTITY), &b.at(*pose));
    let wrong = batch(&[Pose::IDENTITY; 3], &mut [Overlap::Free; 2], context);
    assert_eq!(wrong, Err(LengthError { questions: 3, room: 2 }));
    assert_eq!(batch(&[], &mut [], context), Ok(()));
}
