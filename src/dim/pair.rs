//! Operations on pairs: the two bodies or the two sides of a contact.

/// Two values that are treated alike.
pub trait Pair<T> {
    /// Applies `f` to both. Use it instead of `map` of an array in loops over contacts: `map` stores results larger
    /// than a number piecewise and immediately reloads them as a whole, so that store forwarding fails and the core
    /// stalls.
    fn both<U>(self, f: impl FnMut(T) -> U) -> [U; 2];
}

impl<T> Pair<T> for [T; 2] {
    #[inline(always)]
    fn both<U>(self, mut f: impl FnMut(T) -> U) -> [U; 2] {
        let [a, b] = self;
        let first = f(a);
        [first, f(b)]
    }
}
