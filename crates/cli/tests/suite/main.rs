//! The program as its users meet it. One test program: linking takes longer than running most of them.

mod assemblies;
mod bcf;
mod campaign;
mod ccd;
mod check_method;
mod clash;
mod command;
mod docs;
mod field;
mod figures;
mod first_hour;
mod fits;
mod formulas;
mod motion;
mod page;
mod robot;
mod silence;
mod simulate;
mod studio;
mod support;
mod tree;
mod ways;
