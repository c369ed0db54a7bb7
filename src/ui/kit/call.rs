//! Closures behind a table with one entry.
//!
//! The table of a `dyn Fn` has an entry for each of the three ways to call it. Nothing here uses but one, and the code of
//! the others, a little for each closure of the program, was 130 kB.

/// What can be called, at any time and from several places.
pub trait Call<A, R> {
    fn run(&self, argument: A) -> R;
}

impl<A, R, F: Fn(A) -> R> Call<A, R> for F {
    fn run(&self, argument: A) -> R {
        self(argument)
    }
}

/// What can be called from one place.
pub trait CallMut<A, R> {
    fn run_mut(&mut self, argument: A) -> R;
}

impl<A, R, F: FnMut(A) -> R> CallMut<A, R> for F {
    fn run_mut(&mut self, argument: A) -> R {
        self(argument)
    }
}
