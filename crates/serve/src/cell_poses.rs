//! Bodies that are drawn for the parts of a cell, and their poses.

use noli::model::MeshKind;
use noli::world::{BodySelector, WorldError};
use noli::{Model, Pose, World};
use noli_project::StagedBody;
use noli_project::cell::LoadedCell;

/// Returns the poses of the visual parts of a cell for values of its arm, all parts at their initial poses.
pub(crate) fn poses_of(loaded: &LoadedCell, values: &[f64]) -> Vec<Pose> {
    let work = &loaded.work;
    let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
    work.robot.link_poses(values, &mut links);
    let place = |look: &noli_project::cell::CellLook| match look.link {
        Some(link) => work.world_from_root * links[link] * look.place,
        None => look.place,
    };
    loaded.looks.iter().map(place).collect()
}

/// Returns the visual parts of a cell as bodies at their initial poses. All their pairs are disabled: collisions are
/// queried in the cell itself.
pub(crate) fn drawn_bodies(loaded: &LoadedCell) -> Result<(World, Vec<StagedBody>), WorldError> {
    let (mut world, mut bodies) = (World::default(), Vec::new());
    let poses = poses_of(loaded, &loaded.work.start);
    for (look, pose) in loaded.looks.iter().zip(poses) {
        let name = (1..)
            .map(|k| if k == 1 { look.name.clone() } else { format!("{}-{k}", look.name) })
            .find(|name| world.find(name).is_none())
            .unwrap_or_default();
        let model = look.model.clone().unwrap_or_else(|| Model::from(&look.mesh));
        let id = world.add(name, &model, pose)?;
        bodies.push(StagedBody {
            id,
            look: look.mesh.clone(),
            is_true_shape: look.cells.is_some(),
            kind: MeshKind::Surface,
            said: false,
            flaw: None,
            is_collapsed: false,
            origin: Default::default(),
            cells: look.cells.clone(),
        });
    }
    world.rules_mut().set([BodySelector::Anyone, BodySelector::Anyone], false);
    Ok((world, bodies))
}
