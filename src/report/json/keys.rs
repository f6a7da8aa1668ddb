//! Keys as they stand in a document: a line's beginning is the same for each flow, and written as a whole.

/// What was written of the keys of the model, by the place of their names in the program; nothing, where
/// that is not worth the room.
#[derive(Default)]
pub(super) struct Keys {
    lines: Vec<Line>,
}

/// From the break before it to the mark behind it.
#[derive(Clone, Default)]
struct Line {
    key: Option<&'static str>,
    depth: Option<usize>,
    octets: Vec<u8>,
    is_time: bool,
}

/// The model has some 400 keys at all depths; one that takes the place of another is written anew.
const PLACE_BITS: u32 = 11;

impl Keys {
    /// For a document with many of the same keys.
    pub(super) fn remembered() -> Self {
        Self { lines: vec![Line::default(); 1 << PLACE_BITS] }
    }

    /// The line of `key`, and whether it is that of a time, if both were kept last at this place.
    #[inline]
    pub(super) fn find(&self, key: &'static str, depth: Option<usize>) -> Option<(&[u8], bool)> {
        let line = self.lines.get(place(key, depth))?;
        // The same name may stand in the program twice; one place never holds two.
        let is_same = line.depth == depth && line.key.is_some_and(|it| std::ptr::eq(it, key));
        is_same.then_some((line.octets.as_slice(), line.is_time))
    }

    pub(super) fn keep(
        &mut self,
        key: &'static str,
        depth: Option<usize>,
        (octets, is_time): (&[u8], bool),
    ) {
        if let Some(line) = self.lines.get_mut(place(key, depth)) {
            (line.key, line.depth, line.is_time) = (Some(key), depth, is_time);
            line.octets.clear();
            line.octets.extend_from_slice(octets);
        }
    }
}

#[inline]
fn place(key: &'static str, depth: Option<usize>) -> usize {
    let depth = depth.map_or(0, |depth| depth.wrapping_add(1));
    let both = (key.as_ptr().addr() as u64) ^ (depth as u64) << 48;
    let high = both.wrapping_mul(MIX) >> u64::BITS.saturating_sub(PLACE_BITS);
    usize::try_from(high).unwrap_or(0)
}

/// 2^64 over the golden ratio (Knuth, The Art of Computer Programming, volume 3, section 6.4).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
