//! Everything that decides, and nothing that does: this crate has no I/O, no async, no clock and no globals.
//! Time comes in as an argument ([`Moment`]), changes come in as data ([`tree::Change`]).
//!
//! Two types matter most: [`tree::Tree`], the copy of an app's accessibility tree, and [`revise::Mirror`],
//! which numbers every meaningful change to it. The rest reads from those two:
//!
//! | module | question it answers |
//! |---|---|
//! | [`tree`] | what is on the screen? |
//! | [`revise`] | what changed, and in which revision? |
//! | [`settle`] | has it come to rest? |
//! | [`select`] | which element is meant? |
//! | [`judge`] | may it be acted on, and did it work? |
//! | [`render`] | how is it told to a program or to a model? |

pub mod error;
pub mod judge;
pub mod render;
pub mod revise;
pub mod select;
pub mod settle;
pub mod target;
pub mod time;
pub mod tree;

pub use error::{Code, Error, Result};
pub use target::Target;
pub use time::Moment;
