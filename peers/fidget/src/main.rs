//! fidget's interval evaluators on a grid of cells: `fidget-peer FILE.vm N` evaluates the whole graph on N³ cells of
//! [−1, 1]³ and prints nanoseconds a cell for the interpreter and for the JIT, and the sum of all lower bounds.

use fidget::context::Context;
use fidget::eval::{Function, MathFunction, Tape, TracingEvaluator};
use fidget::jit::JitFunction;
use fidget::types::Interval;
use fidget::var::Var;
use fidget::vm::VmFunction;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(n)) = (arguments.next(), arguments.next().and_then(|n| n.parse().ok())) else {
        eprintln!("usage: fidget-peer FILE.vm N");
        std::process::exit(2);
    };
    let text = std::fs::read(&file).expect("the file can be read");
    let (context, root) = Context::from_text(&mut text.as_slice()).expect("a graph");
    let interpreter = VmFunction::new(&context, &[root]).expect("a function");
    let jit = JitFunction::new(&context, &[root]).expect("a function");
    let (interpreted, sum) = time(&interpreter, n);
    let (compiled, _) = time(&jit, n);
    println!("{interpreted} {compiled} {sum}");
}

/// Nanoseconds a cell, and the sum of lower bounds.
fn time<F: Function>(function: &F, n: usize) -> (f64, f64) {
    let tape = function.interval_tape(Default::default());
    let mut evaluator = F::new_interval_eval();
    let vars = tape.vars();
    let places = [Var::X, Var::Y, Var::Z].map(|var| vars.get(&var));
    let mut arguments = vec![Interval::from(0.0); vars.len()];
    let at = |i: usize| (2.0 * i as f64 / n as f64 - 1.0) as f32;
    let started = Instant::now();
    let mut sum = 0.0;
    for i in 0..n * n * n {
        for (place, k) in places.iter().zip([i % n, i / n % n, i / n / n]) {
            if let Some(place) = place {
                arguments[*place] = Interval::new(at(k), at(k + 1));
            }
        }
        let (values, _) = evaluator.eval(&tape, &arguments).expect("enough arguments");
        sum += f64::from(values[0].lower());
    }
    (started.elapsed().as_secs_f64() * 1e9 / (n * n * n) as f64, sum)
}
