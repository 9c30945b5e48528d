//! Time of a pull in the session alone, without page and line:
//! `cargo run -p noli-serve --example pull [DETAIL] [BODY ...]`.
#![allow(clippy::print_stdout, reason = "figures are what it is for")]

use noli_serve::protocol::{Command, Drag, Event, Pull};
use noli_serve::session::Session;
use noli_serve::{Opening, Project};
use std::sync::atomic::AtomicBool;

const PULLS: u32 = 240;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let detail = arguments.next().map_or(Ok(8), |detail| detail.parse())?;
    let mut names: Vec<String> = arguments.collect();
    if names.is_empty() {
        names = ["hose.washer", "battery.case", "brake.booster"].map(str::to_owned).to_vec();
    }
    let project = Project::open(&Opening::Bundled("engine-bay".to_owned(), detail))?;
    let (mut session, _) = Session::new(project)?;
    // As in the studio, where all pairs are compared once it is open.
    let work = session.check_work();
    session.finish(work.run(&AtomicBool::new(false), &|_, _| {}));
    let Event::Hello(hello) = session.hello(1) else { return Err("no hello".into()) };
    println!("{}", hello.results.map_or(String::new(), |results| results.summary));
    for name in names {
        let known = hello.bodies.iter().position(|body| body.name == name);
        let Some(body) = known else { return Err(format!("there is no {name}").into()) };
        let ([x, y, z], turn) = (hello.bodies[body].at, hello.bodies[body].turn);
        let (mut took, mut stops, mut furthest) = (Vec::new(), 0, 0.0_f64);
        for k in 0..PULLS {
            let t = 3.0 * f64::from(k) / 60.0;
            let at = [x + 6.0 * t.sin(), y, z + 4.0 * (1.0 - t.cos())];
            let pull = Pull { body, with: Vec::new(), seq: u64::from(k), at, turn, mode: Drag::Stop };
            let command = Command::Drag(pull);
            for (_, event) in session.handle(1, command).events {
                if let Event::Dragged { micros, stopped, at, .. } = event {
                    took.push(micros as f64 / 1e3);
                    stops += u32::from(stopped.is_some());
                    furthest = furthest.max((at[0] - x).hypot(at[2] - z));
                }
            }
        }
        println!("{name}: the first pull {:.1} ms", took[0]);
        took.sort_by(f64::total_cmp);
        let [half, most, last] = [took.len() / 2, took.len() * 95 / 100, took.len() - 1].map(|at| took[at]);
        println!(
            "  {} pulls, median {half:.1} ms, 95 % below {most:.1} ms, the longest {last:.1} ms; {stops} stopped, \
             {furthest:.2} away at most",
            took.len()
        );
        session.handle(1, Command::Drop { body });
        session.handle(1, Command::Undo);
        let work = session.check_work();
        session.finish(work.run(&AtomicBool::new(false), &|_, _| {}));
    }
    Ok(())
}
