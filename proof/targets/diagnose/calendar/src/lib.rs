//! Dates, accounts and windows, with faults that are seeded one at a time (--cfg fault="n").
pub mod account;
pub mod date;
pub mod window;
