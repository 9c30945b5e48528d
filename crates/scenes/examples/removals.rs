//! Prints one of the hesitant removals of the engine bay as a pose list: `removals M1 200 1999`.

use noli_scenes::engine_bay_removals;

#[expect(clippy::print_stdout, reason = "the list is its output")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, steps, seed] = &arguments[..] else {
        panic!("give a removal (M1 to M4), a number of steps and a seed")
    };
    let removals = engine_bay_removals();
    let removal = removals.iter().find(|removal| removal.name == name).expect("M1, M2, M3 or M4");
    println!("qx,qy,qz,qw,tx,ty,tz");
    for pose in removal.hesitant(seed.parse().expect("a number"), steps.parse().expect("a number")) {
        let (q, t) = (pose.rotation, pose.translation);
        println!("{:.12},{:.12},{:.12},{:.12},{:.9},{:.9},{:.9}", q.x, q.y, q.z, q.w, t.x, t.y, t.z);
    }
}
