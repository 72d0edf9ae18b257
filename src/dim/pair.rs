//! Two of a kind: the two bodies of a contact, its two sides.

/// Two values that are treated alike.
pub trait Pair<T> {
    /// `f` of both. Where contacts are gone through by the million this is not `map` of an array, which builds what is larger
    /// than a number in memory, piece by piece, and at once reads it from there as a whole: the core waits each time.
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
