//! Times of a path that stops at every configuration.

/// Computes the earliest time of each configuration of a path, if the robot rests at each. Every joint stays
/// within its limits of speed and, where stated, of acceleration. A joint without a speed limit takes a second
/// for a radian (or metre).
pub fn segment_times(robot: &noli_robot::Robot, configurations: &[Vec<f64>]) -> Vec<f64> {
    let variables = robot.variables();
    let segment = |a: &[f64], b: &[f64]| {
        let one = |number: usize| {
            let path = (b[number] - a[number]).abs();
            let limits = &variables[number].limits;
            let speed = limits.velocity.filter(|speed| *speed > 0.0).unwrap_or(1.0);
            match limits.acceleration.filter(|acceleration| *acceleration > 0.0) {
                // Speed up, go on, slow down; or not reach the speed at all.
                Some(rate) if path * rate < speed * speed => 2.0 * (path / rate).sqrt(),
                Some(rate) => path / speed + speed / rate,
                None => path / speed,
            }
        };
        (0..variables.len().min(a.len())).map(one).fold(0.0, f64::max)
    };
    let mut times = vec![0.0];
    for pair in configurations.windows(2) {
        let before = times[times.len() - 1];
        times.push(before + segment(&pair[0], &pair[1]));
    }
    times.truncate(configurations.len().max(1));
    times
}
