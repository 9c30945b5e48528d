//! Questions about two bodies that are answered at once.

use super::{Answer, Session, To, Trouble};
use crate::protocol::Event;
use glam::DVec3;
use noli::penetration::PenetrationQuery;
use noli::query::Clock;
use noli::world::BodyId;
use noli_pages::words;
use std::time::Duration;

/// Time limit for a penetration depth, during which other tabs wait.
const FOR_DEPTH: Duration = Duration::from_millis(60);
/// Extended limit if no separating direction was found in that time, as on a busy machine.
const FOR_DEPTH_AT_MOST: Duration = Duration::from_millis(1000);

/// Number of colliding points or cells that are marked, at most.
const MOST_POINTS: usize = 2000;
/// Number of colliding cells that are searched, at most: other tabs wait.
const MOST_CELLS: usize = 20_000;

/// From where to where, on the page.
type Line = [[f64; 3]; 2];

/// Points or cells on the page.
#[derive(Default)]
struct Marked {
    points: Vec<[f64; 3]>,
    /// `true` if there are more.
    more: bool,
    /// The length of a cell, and its orientation.
    cell: Option<(f64, [f64; 4])>,
}

impl Session {
    /// Measures the clearance of two bodies.
    pub(super) fn measure(
        &mut self,
        client: u64,
        a: usize,
        b: usize,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let [ia, ib] = [self.id(a)?, self.id(b)?];
        if ia == ib {
            return Err(Trouble::new("these are one body", "choose another one to measure to"));
        }
        let [x, y] = self.placed([ia, ib])?;
        let (clearance, relation) = (noli::clearance(&x, &y), noli::relation(&x, &y));
        let line =
            clearance.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        let text = words::reading(clearance.distance.at_least, clearance.distance.at_most, self.unit);
        answer.tell(
            To::One(client),
            Event::Measured {
                a,
                b,
                text,
                line: line.filter(|_| clearance.distance.at_most > 0.0),
                relation: match relation {
                    noli::Relation::Separated => "separated",
                    noli::Relation::Touching => "touching",
                    noli::Relation::Intersecting => "intersecting",
                    noli::Relation::Inside => "inside",
                    noli::Relation::Unknown => "undecided",
                },
            },
        );
        Ok(())
    }

    /// Penetration depth of two bodies and its direction, and the colliding points or cells of one of them.
    pub(super) fn depth(
        &mut self,
        client: u64,
        a: usize,
        b: usize,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let ids = [self.id(a)?, self.id(b)?];
        let marked = match self.colliding_cells([a, b])? {
            None => self.colliding_points(ids)?,
            cells => cells,
        };
        // Boxes of a grid are many: cells are marked, no depth is searched.
        let is_grid = marked.as_ref().is_some_and(|marked| marked.cell.is_some());
        let (text, arrow) = if is_grid { (String::new(), None) } else { self.separating(ids)? };
        let colliding = marked.as_ref().map(|marked| marked.points.len());
        let Marked { mut points, more, cell } = marked.unwrap_or_default();
        points.truncate(MOST_POINTS);
        answer.tell(To::One(client), Event::Depth { a, b, text, arrow, colliding, more, points, cell });
        Ok(())
    }

    /// Penetration depth in words, and an arrow along its direction.
    fn separating(&self, [ia, ib]: [BodyId; 2]) -> Result<(String, Option<Line>), Trouble> {
        let [x, y] = self.placed([ia, ib])?;
        let mut scratch = noli::Scratch::default();
        let mut within = |time: Duration| {
            let budget = noli::Budget::UNLIMITED.until(self.clock.now().saturating_add(time), &self.clock);
            noli::QueryContext::new(&mut scratch).with_budget(budget).penetration(
                &x,
                &y,
                &PenetrationQuery::FAST,
            )
        };
        let mut found = within(FOR_DEPTH);
        if found.direction.is_none() {
            found = within(FOR_DEPTH_AT_MOST);
        }
        let place = self.checked.as_ref().and_then(|checked| {
            let is_pair = |pair: &[BodyId; 2]| *pair == [ia, ib] || *pair == [ib, ia];
            let findings = checked.report.findings(&checked.staged, &checked.result);
            let at = findings.iter().position(|finding| is_pair(&finding.pair))?;
            checked.report.pairs.get(at)?.place
        });
        let path = found.direction.map(|direction| direction * found.depth.at_most);
        let arrow = place.zip(path).map(|(from, path)| {
            let from = DVec3::from(from);
            [from, from + path].map(|point| self.view.point(point))
        });
        let depth = words::reading(found.depth.at_least, found.depth.at_most, self.unit);
        let leads = if arrow.is_some() { "; the arrow shows the separating direction" } else { "" };
        Ok((depth + leads, arrow))
    }

    /// Returns the points of a cloud whose spheres collide with the other body, on the page; `None` if neither is a
    /// cloud.
    fn colliding_points(&self, pair: [BodyId; 2]) -> Result<Option<Marked>, Trouble> {
        let [x, y] = [self.staged.world.body(pair[0])?, self.staged.world.body(pair[1])?];
        let (scan, other) = if x.model().point_cloud().is_some() { (x, y) } else { (y, x) };
        let Some(cloud) = scan.model().point_cloud() else { return Ok(None) };
        let found = noli::points_within(&scan.model().at(scan.pose()), &other.model().at(other.pose()), 0.0);
        let place =
            |&point: &u32| self.view.point(scan.pose().transform_point(cloud.points()[point as usize]));
        Ok(Some(Marked { points: found.items.iter().map(place).collect(), more: false, cell: None }))
    }

    /// Returns the cells of a grid that collide with the other body, on the page; `None` if neither is a grid.
    fn colliding_cells(&self, pair: [usize; 2]) -> Result<Option<Marked>, Trouble> {
        let [a, b] = pair;
        let (grid, other) = if self.entry(a)?.body.cells.is_some() { (a, b) } else { (b, a) };
        let Some(cells) = self.entry(grid)?.body.cells.clone() else { return Ok(None) };
        let place = self.pose_of(grid)?;
        let other = self.staged.world.body(self.id(other)?)?;
        let found = cells.colliding(place, &other.model().at(other.pose()), MOST_CELLS);
        let point = |&center: &DVec3| self.view.point(place.transform_point(center));
        Ok(Some(Marked {
            points: found.centers.iter().map(point).collect(),
            more: !found.is_complete,
            cell: Some((cells.edge() * self.view.scale, place.rotation.normalize().to_array())),
        }))
    }

    fn placed(&self, pair: [BodyId; 2]) -> Result<[noli::Placed<'_>; 2], Trouble> {
        let [a, b] = pair.map(|id| self.staged.world.body(id));
        let [a, b] = [a?, b?];
        Ok([a.model().at(a.pose()), b.model().at(b.pose())])
    }
}
