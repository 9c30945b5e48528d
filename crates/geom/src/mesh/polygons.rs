//! Lists of polygons, stored flat.

/// Polygons of any size, each a list of vertex numbers, in two arrays instead of one per polygon.
///
/// ```
/// # use noli_geom::Polygons;
/// let roof: Polygons = [vec![0, 1, 2, 3], vec![3, 2, 4]].into_iter().collect();
/// assert_eq!(&roof[1], [3, 2, 4]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    vertices: Vec<u32>,
    /// End index of each polygon in `vertices`.
    ends: Vec<usize>,
}

impl Polygons {
    /// No polygons, with room for some.
    #[must_use]
    pub fn with_capacity(polygons: usize, vertices: usize) -> Self {
        Self { vertices: Vec::with_capacity(vertices), ends: Vec::with_capacity(polygons) }
    }

    /// Adds one polygon.
    pub fn push(&mut self, vertices: impl IntoIterator<Item = u32>) {
        self.vertices.extend(vertices);
        self.ends.push(self.vertices.len());
    }

    /// Returns the number of polygons.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The vertices of a polygon, or `None` past the end.
    pub fn get(&self, polygon: usize) -> Option<&[u32]> {
        let end = *self.ends.get(polygon)?;
        let start = if polygon == 0 { 0 } else { self.ends[polygon - 1] };
        Some(&self.vertices[start..end])
    }

    /// The polygons in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|polygon| &self[polygon])
    }

    /// The vertices of all polygons, one after the other.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    pub(super) fn vertices_mut(&mut self) -> &mut [u32] {
        &mut self.vertices
    }

    pub(super) fn all_triangles(&self) -> bool {
        // Every end at its multiple of 3; the total alone would not suffice.
        self.ends.iter().enumerate().all(|(i, &end)| end == 3 * (i + 1))
    }
}

impl std::ops::Index<usize> for Polygons {
    type Output = [u32];

    fn index(&self, polygon: usize) -> &[u32] {
        let start = if polygon == 0 { 0 } else { self.ends[polygon - 1] };
        &self.vertices[start..self.ends[polygon]]
    }
}

impl<P: AsRef<[u32]>> FromIterator<P> for Polygons {
    fn from_iter<I: IntoIterator<Item = P>>(polygons: I) -> Self {
        let mut all = Self::default();
        for polygon in polygons {
            all.push(polygon.as_ref().iter().copied());
        }
        all
    }
}
