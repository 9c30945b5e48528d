//! Moves that stop together.

/// Moves that must stop together.
#[derive(Clone, Debug)]
pub(super) struct Ties {
    /// Another move of the same set, or itself.
    next: Vec<usize>,
}

impl Ties {
    pub(super) fn none(count: usize) -> Self {
        Self { next: (0..count).collect() }
    }

    fn first_of(&self, mut number: usize) -> usize {
        while self.next[number] != number {
            number = self.next[number];
        }
        number
    }

    pub(super) fn tie(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.next[a.max(b)] = a.min(b);
    }

    /// For each move, the first of its set.
    pub(super) fn sets(&self) -> Vec<usize> {
        let mut sets: Vec<usize> = Vec::with_capacity(self.next.len());
        for &next in &self.next {
            // Bodies before a move have their set already.
            sets.push(sets.get(next).copied().unwrap_or(next));
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_first() {
        let mut ties = Ties::none(6);
        for (a, b) in [(4, 2), (5, 1), (2, 5)] {
            ties.tie(a, b);
        }
        assert_eq!(ties.sets(), [0, 1, 1, 3, 1, 1]);
    }
}
