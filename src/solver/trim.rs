//! Lists that live from step to step give back memory they do not need.
//!
//! A list that grows doubles its room, so that hundreds of subdomains would hold twice what they use. What is trimmed keeps a
//! little to grow into, and is left alone until more than an eighth is unused: in a steady run nothing is allocated.

/// Gives back room that is far more than the list needs.
pub(crate) fn trim<T>(list: &mut Vec<T>) {
    if list.capacity() > list.len() + list.len() / 8 + 64 {
        list.shrink_to(list.len() + list.len() / 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_needs_half_its_room_gives_most_of_the_rest_back_once() {
        let mut list: Vec<u64> = Vec::with_capacity(10_000);
        list.extend(0..5000);
        trim(&mut list);
        let room = list.capacity();
        assert!((5000..5200).contains(&room));
        list.truncate(4750);
        trim(&mut list);
        assert_eq!(list.capacity(), room);
    }
}
