//! The pairs of a check as comma-separated values.

use super::check::CheckReport;
use super::csv::csv_line;
use crate::data::clash::{ClashKind, ClashStatus};

impl CheckReport {
    /// One line for each pair under a line of names; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut text =
            "relation,a,b,hit,guarantee,margin,clearance_at_least,clearance_at_most,intersections,touches,x,y,z,duplicate,\
             kind,id,group,status,depth_at_least,depth_at_most,volume_at_least,volume_at_most,interference_at_least,\
             interference_at_most,tolerance,within_tolerance,face_a,face_b,fit\n"
                .to_owned();
        let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
        for pair in &self.pairs {
            let curved = pair.curved.as_ref();
            let names = curved.and_then(|curved| curved.faces.clone()).unwrap_or_default();
            let place = |axis: usize| pair.place.map_or(String::new(), |place| number(place[axis]));
            text += &csv_line([
                pair.relation.word(),
                &pair.a,
                &pair.b,
                if pair.hit { "yes" } else { "no" },
                pair.guarantee.word(),
                &number(pair.margin),
                &number(pair.clearance.at_least),
                &number(pair.clearance.at_most),
                &count(pair.intersections),
                &count(pair.touches),
                &place(0),
                &place(1),
                &place(2),
                if pair.duplicate { "yes" } else { "no" },
                pair.kind.map_or("", ClashKind::word),
                &pair.id,
                pair.group.as_deref().unwrap_or_default(),
                pair.status.map_or("", ClashStatus::word),
                &pair.depth.map_or(String::new(), |depth| number(depth.at_least)),
                &pair.depth.map_or(String::new(), |depth| number(depth.at_most)),
                &pair.volume.map_or(String::new(), |volume| number(volume.at_least)),
                &pair.volume.map_or(String::new(), |volume| number(volume.at_most)),
                &pair.interference.map_or(String::new(), |found| number(found.at_least)),
                &pair.interference.map_or(String::new(), |found| number(found.at_most)),
                &number(pair.tolerance),
                if pair.within_tolerance { "yes" } else { "no" },
                &names[0],
                &names[1],
                &curved.and_then(|curved| curved.fit).map_or(String::new(), number),
            ]);
        }
        text
    }
}
