//! Callable trait objects with a one-entry vtable.
//!
//! The vtable of `dyn Fn` has three call methods. Only one is used here, and the others, instantiated for each closure,
//! took 130 kB.

/// Like `Fn` with one argument.
pub trait Call<A, R> {
    fn run(&self, argument: A) -> R;
}

impl<A, R, F: Fn(A) -> R> Call<A, R> for F {
    fn run(&self, argument: A) -> R {
        self(argument)
    }
}

/// Like `FnMut` with one argument.
pub trait CallMut<A, R> {
    fn run_mut(&mut self, argument: A) -> R;
}

impl<A, R, F: FnMut(A) -> R> CallMut<A, R> for F {
    fn run_mut(&mut self, argument: A) -> R {
        self(argument)
    }
}
