//! Short and long tests: `./test` takes what shows a fact, `./test --long` repeats it over more steps, seeds and
//! numbers of processes.

/// Returns `long` if `./test --long` (which sets `NSCDD_LONG`) runs the test, else `short`.
pub(crate) fn or_long<T>(short: T, long: T) -> T {
    if std::env::var_os("NSCDD_LONG").is_some() { long } else { short }
}
