//! Scenarios of runs: graphs, re-runs, their status, Stop, and nodes in terminals.

mod graphs;
mod rerun;
mod status;
mod stop;
mod terminals;
