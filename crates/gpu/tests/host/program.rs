//! The kernels as programs of the host, built with the C++ compiler at hand.

use noli_gpu::kernels;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Programs that were built before, so that no two tests build the same one.
static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn build(name: &str, main: &str) -> Option<PathBuf> {
    let mut known = BUILT.lock().expect("no test panics while it builds");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join(format!("{name}.cpp")), folder.join(name));
    if known.iter().any(|known| known == name) {
        return Some(binary);
    }
    let text: Vec<&str> = kernels::PARTS
        .into_iter()
        .chain(kernels::ROBOT_PARTS)
        .chain(kernels::STAGE_PARTS)
        .chain([main])
        .collect();
    std::fs::write(&source, text.join("\n")).expect("a folder for tests");
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O2", "-ffp-contract=off", "-o"])
        .arg(&binary)
        .arg(&source)
        .output();
    match built {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            known.push(name.to_owned());
            Some(binary)
        }
        Err(error) => {
            noli_testing::skip_tool(&format!("no C++ compiler for the kernels ({error})"));
            None
        }
    }
}

/// Returns the answer of a program of this name, made of the kernels and a `main`; `None` where there is no
/// compiler.
pub(crate) fn run(name: &str, main: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new(build(name, main)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program just built");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("all questions are read");
    assert!(output.status.success());
    Some(output.stdout)
}
