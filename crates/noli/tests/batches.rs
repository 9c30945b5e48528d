//! Batches give what single questions give, on any number of threads.

use noli::*;

fn models() -> [Model; 2] {
    [0.3, 1.1].map(|phase| {
        let set = noli_scenes::bumpy_sphere(10, phase);
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap();
        Model::new(&mesh).unwrap()
    })
}

const NOTHING: Clearance = Clearance { at_least: 0.0, at_most: 0.0, witness: None };

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
    let gaps: Vec<_> = pairs.iter().map(|(a, b)| clearance(a, b)).collect();
    assert_eq!(single[17], Overlap::Unknown);
    for answer in [Overlap::Free, Overlap::Hit] {
        assert!(single.iter().filter(|&&x| x == answer).count() > 20);
    }
    for threads in [1, 2, 4] {
        on_threads(threads, || {
            let mut answers = vec![Overlap::Unknown; poses.len()];
            overlap_poses(&here, &b, &poses, &mut answers).unwrap();
            assert_eq!(answers, single);
            answers.fill(Overlap::Unknown);
            overlap_pairs(&pairs, &mut answers).unwrap();
            assert_eq!(answers, single);
            let mut found = vec![NOTHING; poses.len()];
            clearance_poses(&here, &b, &poses, &mut found).unwrap();
            assert_eq!(found, gaps);
            found.fill(NOTHING);
            clearance_pairs(&pairs, &mut found).unwrap();
            assert_eq!(found, gaps);
        });
    }
}

#[test]
fn step_budgets_count_for_each_question() {
    let [a, b] = models();
    let poses = noli_scenes::w1_poses(8, 100);
    let query = OverlapQuery { budget: Budget::default().steps(60), ..Default::default() };
    let ask =
        |pose: &Pose, scratch: &mut Scratch| overlap_in(&a.at(Pose::IDENTITY), &b.at(*pose), &query, scratch);
    let mut scratch = Scratch::default();
    let single: Vec<_> = poses.iter().map(|pose| ask(pose, &mut scratch)).collect();
    assert!(single.contains(&Overlap::Unknown) && single.iter().any(|&x| x != Overlap::Unknown));
    for threads in [1, 2, 4] {
        let mut answers = vec![Overlap::Free; poses.len()];
        on_threads(threads, || batch(&poses, &mut answers, ask)).unwrap();
        assert_eq!(answers, single);
    }
}

#[test]
fn lengths_must_match() {
    let [a, b] = models();
    let wrong = overlap_poses(&a.at(Pose::IDENTITY), &b, &[Pose::IDENTITY; 3], &mut [Overlap::Free; 2]);
    assert_eq!(wrong, Err(WrongLength { questions: 3, room: 2 }));
    assert_eq!(overlap_pairs(&[], &mut []), Ok(()));
}
