//! Description of this machine, without its name or owner.

use noli::query::Instructions;
use serde::{Deserialize, Serialize};

/// A machine, as far as it matters for times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Short name of its kind, such as `xeon-2core-avx512`: the folder of its records.
    pub name: String,
    /// CPU, as it calls itself.
    #[serde(alias = "processor")]
    pub cpu: String,
    /// Number of concurrent threads.
    pub threads: usize,
    /// The vector instructions noli uses on it.
    pub instructions: String,
}

impl Machine {
    /// The machine this runs on.
    pub fn this() -> Self {
        let cpu = cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let instructions = format!("{:?}", Instructions::best()).to_lowercase();
        let family = family(&cpu);
        Self { name: format!("{family}-{threads}core-{instructions}"), cpu, threads, instructions }
    }
}

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.replace("(R)", "").replace("(TM)", "");
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the word that distinguishes CPUs, in lower case.
fn family(cpu: &str) -> String {
    const FAMILIES: [&str; 8] =
        ["xeon", "epyc", "ryzen", "core", "threadripper", "graviton", "neoverse", "apple"];
    let lower = cpu.to_lowercase();
    let known = FAMILIES.iter().find(|family| lower.contains(**family)).map(|family| family.to_string());
    known.unwrap_or_else(|| lower.chars().filter(char::is_ascii_alphanumeric).take(12).collect())
}
