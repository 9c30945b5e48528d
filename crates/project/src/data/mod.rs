//! Contents of scene and cell files, and the reading of their text. No other file is opened.

pub(crate) mod cell;
pub(crate) mod clash;
pub(crate) mod entry;
pub(crate) mod generated;
pub(crate) mod link_kind;
pub(crate) mod pose;
pub(crate) mod scene;
pub(crate) mod suggest;
