//! Assemblies: named parts in place, and what is known about them.

use crate::TriangleSet;
use glam::DVec3;
use noli_geom::{Aabb, Mesh, MeshOptions, Pose, Relation};

/// One part of an assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name, unique in the assembly.
    pub name: String,
    /// A closed, outward-oriented solid in the part's own frame.
    pub mesh: Mesh,
    /// Its placement.
    pub pose: Pose,
    /// Group it belongs to, if any.
    pub group: Option<String>,
}

/// Two parts made to touch or intersect, and their relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// The names of the parts, in the order of the parts.
    pub pair: [String; 2],
    /// Their relation.
    pub relation: Relation,
}

/// Parts in place. Lengths are millimetres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// Name of the generator.
    pub name: String,
    /// The parts, in a fixed order.
    pub parts: Vec<Part>,
    /// Exactly the pairs of parts that are not separated.
    pub planted: Vec<Planted>,
}

impl Assembly {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), ..Default::default() }
    }

    /// Returns the total number of triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| part.mesh.triangle_count()).sum()
    }

    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Returns the relation planted between two parts.
    pub fn expected(&self, a: &str, b: &str) -> Relation {
        let known = |planted: &&Planted| {
            let [x, y] = &planted.pair;
            (x == a && y == b) || (x == b && y == a)
        };
        self.planted.iter().find(known).map_or(Relation::Separated, |planted| planted.relation)
    }

    /// Returns `count` copies of the assembly on a square lattice, too far from each other to collide. The
    /// parts of the third are named `3/name`; copies share their meshes.
    pub fn copies(&self, count: u32) -> Self {
        let bounds = self.parts.iter().map(|part| {
            let reach = part.mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
            let center = part.pose.translation;
            Aabb { min: center - reach, max: center + reach }
        });
        // A power of two: shifts are then whole numbers, which leave the low digits of most poses alone.
        let pitch = bounds.fold(Aabb::EMPTY, Aabb::union).size().max_element().log2().ceil().exp2();
        let columns = f64::from(count).sqrt().ceil().max(1.0) as u32;
        let mut field = Self::new(&self.name);
        for copy in 0..count {
            let shift = DVec3::new(f64::from(copy % columns), f64::from(copy / columns), 0.0) * pitch;
            let named = |name: &str| format!("{}/{name}", copy + 1);
            field.parts.extend(self.parts.iter().map(|part| Part {
                name: named(&part.name),
                mesh: part.mesh.clone(),
                pose: Pose::new(part.pose.rotation, part.pose.translation + shift),
                group: part.group.as_deref().map(named),
            }));
            field.planted.extend(self.planted.iter().map(|planted| Planted {
                pair: planted.pair.each_ref().map(|name| named(name)),
                relation: planted.relation,
            }));
        }
        field
    }

    /// Adds a part; what precedes the first dot of its name, if there is one, is its group.
    pub(crate) fn add(&mut self, name: &str, set: TriangleSet, pose: Pose) {
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default())
            .expect("generated solids are finite and their vertices exist")
            .into_solid();
        let group = name.split_once('.').map(|(group, _)| group.to_owned());
        self.parts.push(Part { name: name.into(), mesh, pose, group });
    }

    /// Records a pair that is meant to touch or intersect. The parts must have been added.
    pub(crate) fn plant(&mut self, a: &str, b: &str, relation: Relation) {
        let place = |name: &str| {
            self.parts.iter().position(|part| part.name == name).expect("only existing parts are planted")
        };
        let pair = if place(a) < place(b) { [a, b] } else { [b, a] };
        self.planted.push(Planted { pair: pair.map(String::from), relation });
    }
}
