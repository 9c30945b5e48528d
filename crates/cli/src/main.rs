//! The program `noli`; see the library of this crate.

fn main() -> std::process::ExitCode {
    noli_cli::main()
}
