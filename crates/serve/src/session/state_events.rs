//! Full session state for tabs, and data for reports.

use super::cell::RanProgram;
use super::{Answer, Checked, Edit, Session, To, long_tasks};
use crate::protocol::{BodyView, Edits, Event, Hello, PlayView, Results, ResultsChange};
use noli::model::MeshKind;
use noli::world::BodyId;
use noli_formats::Units;
use noli_pages::{Up, pair_view, segments_each, words};
use noli_project::Check;
use std::collections::BTreeMap;

impl Session {
    pub(super) fn body_view(&self, number: usize) -> BodyView {
        let entry = &self.entries[number];
        let pose = self.pose_of(number).unwrap_or(entry.pose);
        let (at, turn) = self.view.pose(&pose, entry.middle);
        BodyView {
            name: entry.name.clone(),
            group: entry.group.clone(),
            shape: entry.shape,
            middle: entry.middle.to_array(),
            at,
            turn,
            triangles: entry.body.triangles(),
            kind: match (entry.body.is_true_shape, entry.body.kind) {
                _ if entry.body.cells.is_some() => "voxel grid",
                _ if entry.model.point_cloud().is_some() => "point cloud",
                (true, _) => "true shape",
                (false, MeshKind::Solid) => "solid",
                (false, MeshKind::Surface) => "surface",
            },
            cells: self.cells_text(number),
            formula: entry.formula.clone(),
            gone: entry.id.is_none(),
        }
    }

    pub(super) fn shape_count(&self) -> usize {
        self.shapes.read().unwrap_or_else(std::sync::PoisonError::into_inner).len()
    }

    /// Returns the full state for a new tab.
    pub fn hello(&self, you: u64) -> Event {
        Event::Hello(Hello {
            you,
            title: self.title.clone(),
            unit: self.unit,
            up: self.up,
            middle: self.view.middle.to_array(),
            scale: self.view.scale,
            bodies: (0..self.entries.len()).map(|number| self.body_view(number)).collect(),
            shapes: self.shape_count(),
            plays: self.plays(),
            warnings: self.staged.warnings.iter().chain(&self.notes).cloned().collect(),
            files: self.files(),
            can_save: self.scene_file.is_some() || self.listed.is_some(),
            save_as: self.new_file_name(),
            is_stored: self.journal.is_some(),
            edits: self.edits(),
            rules: self.rules_view(),
            groups: self.group_views(),
            results: self.results(),
            robot: self.robot_view(),
            database: self.database.as_ref().and_then(|path| Some(path.file_name()?.to_str()?.to_owned())),
            is_database: self.is_database,
            swept: self.swept_view(),
            panels: self.panels.iter().map(|panel| (panel.name(), panel.offer(self))).collect(),
        })
    }

    /// Name of a file that the open cell or bundled scene can be saved as; `None` if it cannot be saved as another.
    pub(super) fn new_file_name(&self) -> Option<String> {
        let stem = match (self.cell_source(), &self.bundled) {
            (Ok(source), _) => source.path.file_stem()?.to_str()?,
            (Err(_), Some((name, _))) if self.scene_file.is_none() => name,
            (Err(_), _) => return None,
        };
        let folder = self.save_folder()?;
        let mut names =
            std::iter::once(format!("{stem}.toml")).chain((2..).map(|k| format!("{stem}-{k}.toml")));
        names.find(|name| !folder.join(name).exists())
    }

    pub(super) fn plays(&self) -> Vec<PlayView> {
        let mut plays = Vec::new();
        if !self.staged.moves.is_empty() {
            plays.push(PlayView { name: "motions".into(), title: "The motions of the scene".into() });
        }
        let removals = long_tasks::removals_of(self.bundled.as_ref());
        plays.extend(removals.into_iter().map(|(title, removal)| PlayView {
            title: format!("{title}: remove {}", removal.part),
            name: title,
        }));
        plays.extend(self.path_plays());
        plays.extend(self.simulations());
        plays
    }

    /// Mesh files of the folder that could be added.
    fn files(&self) -> Option<Vec<String>> {
        self.folder.get()?;
        Some(self.files_by(|path| noli_formats::MeshFormat::from_extension(path).is_some()))
    }

    pub(super) fn edits(&self) -> Edits {
        Edits {
            undo: self.undo.last().map(Edit::words),
            redo: self.redo.last().map(Edit::words),
            unsaved: self.unsaved,
        }
    }

    /// Returns the last results, with the body numbers of the studio.
    pub(super) fn results(&self) -> Option<Results> {
        if self.cell.is_some() {
            return self.cell_results();
        }
        let checked = self.checked.as_ref()?;
        let summary = &checked.report.summary;
        let number = |id: BodyId| checked.numbers.get(&id).copied();
        let most = segments_each(summary.hits);
        let found = checked.report.findings(&checked.staged, &checked.result);
        let pairs = || checked.report.pairs.iter().zip(found.iter().map(|finding| &**finding));
        let views: Vec<_> = pairs()
            .filter_map(|(pair, finding)| {
                let [a, b] = finding.pair.map(number);
                let mut view = pair_view(pair, finding, self.unit, self.view, most);
                let outer = view.outer.map(|outer| if outer == view.a { a } else { b });
                (view.a, view.b, view.outer) = (a?, b?, outer.flatten());
                Some(view)
            })
            .collect();
        let is_known = |finding: &noli::world::Finding| finding.pair.iter().all(|id| number(*id).is_some());
        let groups = pairs().filter(|(_, finding)| is_known(finding));
        let groups = groups.map(|(pair, _)| pair.group.clone().unwrap_or_default()).collect();
        let status = self.reviews.all().filter_map(|([a, b], review)| {
            Some((self.named(a)?, self.named(b)?, review.status.clone(), review.comment.clone()))
        });
        Some(Results {
            outcome: words::outcome(summary.hits, summary.undecided),
            summary: format!(
                "{}, {} triangles; {} compared in {:.2} s",
                words::plural(summary.bodies, "body", "bodies"),
                summary.triangles,
                words::plural(summary.pairs, "pair", "pairs"),
                checked.seconds
            ),
            pairs: views,
            status: status.collect(),
            groups,
            stale: self.stale,
        })
    }

    /// Sends the last results: what has changed since the ones that every tab has, where that is less.
    pub(super) fn tell_results(&mut self, answer: &mut Answer) {
        let Some(results) = self.results() else { return };
        // Results of a cell follow the arm, also where none are sent.
        let before = self.told.take().filter(|_| self.cell.is_none());
        let change = before.and_then(|before| ResultsChange::between(&before, &results));
        let event = change.map_or_else(|| Event::Results(results.clone()), Event::ResultsChange);
        self.told = Some(results);
        answer.tell(To::All, event);
    }

    pub(crate) fn edits_event(&self) -> Event {
        Event::Edits(self.edits())
    }

    /// The last results for a report; nothing before the first check.
    pub(crate) fn report(&self) -> Option<(&Checked, Up)> {
        Some((self.checked.as_ref()?, self.up))
    }

    /// The last run of the program, where a cell is open and it was run.
    pub(crate) fn ran_program(&self) -> Option<&RanProgram> {
        self.cell.as_ref()?.ran.as_deref()
    }

    pub(crate) fn has_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Returns the report data besides the results: the title, the unit, the clash settings of the scene, the
    /// statuses.
    pub(crate) fn of_report(&self) -> (String, Option<Units>, Check, BTreeMap<[String; 2], String>) {
        let status = self.reviews.all().map(|(pair, review)| (pair.clone(), review.status.clone()));
        (self.title.clone(), self.units, self.clashes.clone(), status.collect())
    }
}
