//! Records at stable places. They stand in chunks, so that growing copies nothing and the memory
//! in use never doubles for a moment.

const CHUNK_BITS: u32 = 10;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Values by place; places of removed values are used again.
#[derive(Debug)]
pub(super) struct Slab<T> {
    chunks: Vec<Vec<Option<T>>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Slab<T> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Stores a value and tells where.
    pub(super) fn insert(&mut self, value: T) -> u32 {
        self.len = self.len.saturating_add(1);
        if let Some(place) = self.free.pop() {
            if let Some(slot) = self.slot_mut(place) {
                *slot = Some(value);
            }
            return place;
        }
        let chunk = match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk,
            _ => {
                self.chunks.push(Vec::with_capacity(CHUNK));
                // Only a vector that could not grow leaves nothing here, and then we are gone.
                let Some(chunk) = self.chunks.last_mut() else { return u32::MAX };
                chunk
            }
        };
        chunk.push(Some(value));
        let used = chunk.len().saturating_sub(1);
        let before = self.chunks.len().saturating_sub(1).saturating_mul(CHUNK);
        u32::try_from(before.saturating_add(used)).unwrap_or(u32::MAX)
    }

    pub(super) fn get(&self, place: u32) -> Option<&T> {
        let (chunk, at) = split(place);
        self.chunks.get(chunk)?.get(at)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.slot_mut(place)?.as_mut()
    }

    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        let value = self.slot_mut(place)?.take()?;
        self.free.push(place);
        self.len = self.len.saturating_sub(1);
        Some(value)
    }

    /// All values, by place.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten().flatten()
    }

    /// All values, by place.
    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.chunks.into_iter().flatten().flatten()
    }

    fn slot_mut(&mut self, place: u32) -> Option<&mut Option<T>> {
        let (chunk, at) = split(place);
        self.chunks.get_mut(chunk)?.get_mut(at)
    }
}

fn split(place: u32) -> (usize, usize) {
    let place = place as usize;
    (place >> CHUNK_BITS, place & CHUNK.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_and_are_used_again() {
        let mut slab = Slab::new();
        let places: Vec<u32> = (0..3000).map(|value| slab.insert(value)).collect();
        assert_eq!(slab.get(places[2999]), Some(&2999));
        assert_eq!(slab.remove(places[1500]), Some(1500));
        assert_eq!(slab.remove(places[1500]), None);
        assert_eq!(slab.insert(7), places[1500]);
        assert_eq!(slab.len(), 3000);
        assert_eq!(slab.into_values().count(), 3000);
    }
}
