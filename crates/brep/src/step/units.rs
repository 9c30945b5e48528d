//! Units and uncertainty of a representation.

use super::Units;
use super::geometry::{Reader, Refusal};
use super::part21::{Instance, Record, Value};

impl Reader<'_> {
    /// The units of a representation context.
    pub(super) fn units(&self, context: u64) -> Result<Units, Refusal> {
        let mut units = Units::default();
        let instance = self.instance(context)?;
        if let Some(record) = instance.record("GLOBAL_UNIT_ASSIGNED_CONTEXT") {
            for unit in self.references(record, 0)? {
                let instance = self.instance(unit)?;
                if instance.record("LENGTH_UNIT").is_some() {
                    units.length = self.unit(instance, "METRE", 0)? * 1000.0;
                } else if instance.record("PLANE_ANGLE_UNIT").is_some() {
                    units.angle = self.unit(instance, "RADIAN", 0)?;
                }
            }
        }
        // A metre has exactly 1000 millimetres, whatever the powers of ten were rounded to.
        if (units.length - 1.0).abs() < 1e-12 {
            units.length = 1.0;
        }
        if let Some(record) = instance.record("GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT") {
            for measure in self.references(record, 0)? {
                let Some(record) = self.instance(measure)?.records.first() else { continue };
                if let Some(value) = record.values.first().and_then(Value::number) {
                    units.uncertainty = units.uncertainty.max(value * units.length);
                }
            }
        }
        Ok(units)
    }

    /// A unit as a multiple of the SI unit without prefix.
    fn unit(&self, instance: &Instance, base: &str, depth: usize) -> Result<f64, Refusal> {
        if let Some(record) = instance.record("SI_UNIT") {
            let prefix = record.values.iter().find_map(|v| match v {
                Value::Enumeration(name) if **name != *base => Some(&**name),
                _ => None,
            });
            return prefix
                .map_or(Some(1.0), prefix_factor)
                .ok_or_else(|| Refusal::at(instance, "unknown prefix of a unit"));
        }
        let record =
            instance.record("CONVERSION_BASED_UNIT").ok_or_else(|| Refusal::at(instance, "unknown unit"))?;
        let measure = self.instance(self.reference(record, 1)?)?;
        // Some programs write the number without its type.
        let with_unit = measure.records.iter().find_map(|r| Some((r, r.values.first()?.number()?)));
        let (with_unit, factor): (&Record, f64) =
            with_unit.ok_or_else(|| Refusal::at(measure, "a unit without its measure"))?;
        let of = with_unit.values.iter().find_map(Value::reference);
        let (Some(of), true) = (of, depth < 8) else {
            return Err(Refusal::at(measure, "a unit without its measure"));
        };
        Ok(factor * self.unit(self.instance(of)?, base, depth.saturating_add(1))?)
    }
}

fn prefix_factor(name: &str) -> Option<f64> {
    Some(match name {
        "KILO" => 1e3,
        "HECTO" => 1e2,
        "DECA" => 1e1,
        "DECI" => 1e-1,
        "CENTI" => 1e-2,
        "MILLI" => 1e-3,
        "MICRO" => 1e-6,
        "NANO" => 1e-9,
        "MEGA" => 1e6,
        _ => return None,
    })
}
