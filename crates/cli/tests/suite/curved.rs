//! STEP bodies are compared on their curved surfaces: fits have their clearance or interference, designed contacts touch.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use serde_json::Value;
use std::fmt::Write;

/// Instances of a STEP file, numbered from 1.
#[derive(Default)]
struct Step {
    data: String,
    count: usize,
}

impl Step {
    fn add(&mut self, text: impl AsRef<str>) -> usize {
        self.count += 1;
        writeln!(self.data, "#{} = {};", self.count, text.as_ref()).unwrap();
        self.count
    }

    fn axis(&mut self, z: f64) -> usize {
        let p = self.add(format!("CARTESIAN_POINT('',(0.,0.,{z:?}))"));
        let d = self.add("DIRECTION('',(0.,0.,1.))");
        let x = self.add("DIRECTION('',(1.,0.,0.))");
        self.add(format!("AXIS2_PLACEMENT_3D('',#{p},#{d},#{x})"))
    }

    /// An edge that is a whole circle.
    fn circle(&mut self, radius: f64, z: f64) -> usize {
        let a = self.axis(z);
        let c = self.add(format!("CIRCLE('',#{a},{radius:?})"));
        let p = self.add(format!("CARTESIAN_POINT('',({radius:?},0.,{z:?}))"));
        let v = self.add(format!("VERTEX_POINT('',#{p})"));
        self.add(format!("EDGE_CURVE('',#{v},#{v},#{c},.T.)"))
    }

    fn bound(&mut self, edge: usize, forward: bool) -> usize {
        let flag = if forward { "T" } else { "F" };
        let o = self.add(format!("ORIENTED_EDGE('',*,*,#{edge},.{flag}.)"));
        let l = self.add(format!("EDGE_LOOP('',(#{o}))"));
        self.add(format!("FACE_BOUND('',#{l},.T.)"))
    }

    fn face(&mut self, name: &str, bounds: &[usize], surface: usize, sense: bool) -> usize {
        let list: Vec<String> = bounds.iter().map(|b| format!("#{b}")).collect();
        let flag = if sense { "T" } else { "F" };
        self.add(format!("ADVANCED_FACE('{name}',({}),#{surface},.{flag}.)", list.join(",")))
    }

    /// A solid between two radii, or full, over a range of heights.
    fn ring(&mut self, name: &str, radii: [f64; 2], [low, high]: [f64; 2]) -> usize {
        let [inner, outer] = radii;
        let rims = [low, high].map(|z| self.circle(outer, z));
        let holes = (inner > 0.0).then(|| [low, high].map(|z| self.circle(inner, z)));
        let a = self.axis(low);
        let s = self.add(format!("CYLINDRICAL_SURFACE('',#{a},{outer:?})"));
        let bounds = [self.bound(rims[0], true), self.bound(rims[1], false)];
        let mut faces = vec![self.face("outside", &bounds, s, true)];
        if let Some(holes) = holes {
            let s = self.add(format!("CYLINDRICAL_SURFACE('',#{a},{inner:?})"));
            let bounds = [self.bound(holes[0], false), self.bound(holes[1], true)];
            faces.push(self.face("bore", &bounds, s, false));
        }
        for (k, z) in [low, high].into_iter().enumerate() {
            let a = self.axis(z);
            let s = self.add(format!("PLANE('',#{a})"));
            let mut bounds = vec![self.bound(rims[k], k == 1)];
            bounds.extend(holes.map(|holes| self.bound(holes[k], k == 0)));
            faces.push(self.face(if k == 0 { "bottom" } else { "top" }, &bounds, s, k == 1));
        }
        let list: Vec<String> = faces.iter().map(|f| format!("#{f}")).collect();
        let shell = self.add(format!("CLOSED_SHELL('',({}))", list.join(",")));
        self.add(format!("MANIFOLD_SOLID_BREP('{name}',#{shell})"))
    }

    fn text(mut self, solids: &[usize]) -> String {
        let length = self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))");
        let angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))");
        let context = self.add(format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle})) \
             REPRESENTATION_CONTEXT('',''))"
        ));
        let list: Vec<String> = solids.iter().map(|s| format!("#{s}")).collect();
        self.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',({}),#{context})", list.join(",")));
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n{}ENDSEC;\nEND-ISO-10303-21;\n",
            self.data
        )
    }
}

/// A bush of radius 10 inside, a shaft, and a washer that rests on the bush.
fn fit(shaft: f64) -> String {
    let mut step = Step::default();
    let solids = [
        step.ring("bush", [10.0, 20.0], [0.0, 15.0]),
        step.ring("shaft", [0.0, shaft], [-5.0, 30.0]),
        step.ring("washer", [12.0, 18.0], [15.0, 17.0]),
    ];
    step.text(&solids)
}

fn pair<'r>(report: &'r Value, a: &str, b: &str) -> &'r Value {
    let pairs = report["pairs"].as_array().unwrap();
    pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap_or_else(|| panic!("{a} {b}: {report}"))
}

#[test]
fn fits_of_step_files_are_decided_on_their_surfaces() {
    let folder = Folder::new("curved-fit");
    for (shaft, relation, kind) in [
        (9.9925, "separated", Value::Null),
        (10.0, "touching", "touching".into()),
        (10.01, "intersecting", "hard".into()),
    ] {
        let file = folder.file("fit.step", fit(shaft));
        let output = noli(&["check", &file, "--json", "--touching", "ignore"]);
        assert_eq!(exit_code(&output), i32::from(shaft > 10.0), "{}", stderr(&output));
        let report = json(&output);
        let found = pair(&report, "bush", "shaft");
        assert_eq!((&found["relation"], &found["kind"]), (&relation.into(), &kind), "{found}");
        assert_eq!((&found["guarantee"], &found["tolerance"]), (&"curved".into(), &Value::Null), "{found}");
        let close = |value: &Value, wanted: f64| (value.as_f64().unwrap() - wanted).abs() < 1e-6;
        assert!(close(&found["curved"]["fit"], 10.0 - shaft), "{found}");
        assert_eq!(found["curved"]["faces"], serde_json::json!(["bore", "outside"]));
        if shaft < 10.0 {
            assert!(close(&found["clearance"]["at_least"], 10.0 - shaft), "{found}");
            assert!(close(&found["clearance"]["at_most"], 10.0 - shaft), "{found}");
        }
        if shaft > 10.0 {
            assert!(close(&found["interference"]["at_least"], shaft - 10.0), "{found}");
            assert!(close(&found["interference"]["at_most"], shaft - 10.0), "{found}");
            let text = stdout(&noli(&["check", &file]));
            assert!(text.contains("interference (mm)") && text.contains("0.01"), "{text}");
        }
        // Plane faces that coincide by design.
        let rests = pair(&report, "bush", "washer");
        assert_eq!(
            (&rests["relation"], &rests["guarantee"]),
            (&"touching".into(), &"curved".into()),
            "{rests}"
        );
        assert_eq!(rests["curved"]["faces"][0], "top", "{rests}");
        // In another unit, by a scene.
        let scene = "units = 'm'\n[[body]]\nname = 'all'\nfile = 'fit.step'\nsplit = true\n";
        let metres = json(&noli(&["check", &folder.file("scene.toml", scene), "--json"]));
        let found = pair(&metres, "all/bush", "all/shaft");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&relation.into(), &"curved".into()),
            "{found}"
        );
        assert!((found["curved"]["fit"].as_f64().unwrap() - (10.0 - shaft) * 1e-3).abs() < 1e-9, "{found}");
        let csv = stdout(&noli(&["check", &file, "--csv"]));
        assert!(
            csv.lines().next().unwrap().ends_with(",face_a,face_b,fit") && csv.contains(",bore,outside,"),
            "{csv}"
        );
    }
}

/// Two shafts side by side: their surfaces touch along a line, or overlap by a tenth of a millimetre.
#[test]
fn shafts_side_by_side_touch_or_intersect() {
    let folder = Folder::new("curved-shafts");
    let file = |name: &str| {
        let mut step = Step::default();
        let solid = step.ring(name, [0.0, 10.0], [0.0, 40.0]);
        folder.file(&format!("{name}.step"), step.text(&[solid]))
    };
    file("left");
    file("right");
    for (distance, relation) in [(19.9, "intersecting"), (20.0, "touching")] {
        // Turned, so that edges of the prisms are not opposite to each other.
        let scene = format!(
            "units = 'mm'\n[[body]]\nname = 'left'\nfile = 'left.step'\npose = {{ rpy_deg = [0, 0, 11] }}\n\
             [[body]]\nname = 'right'\nfile = 'right.step'\npose = {{ xyz = [{distance:?}, 0, -7], rpy_deg = [0, 0, 11] }}\n"
        );
        let report = json(&noli(&["check", &folder.file("scene.toml", scene), "--json"]));
        let found = pair(&report, "left", "right");
        assert_eq!(
            (&found["relation"], &found["guarantee"]),
            (&relation.into(), &"curved".into()),
            "{report}"
        );
    }
}

/// A user who takes bodies as their faces alone gets the verdict on these.
#[test]
fn surfaces_and_kernels_can_be_chosen() {
    let folder = Folder::new("curved-choice");
    let file = folder.file("fit.step", fit(9.9925));
    let report = json(&noli(&["check", &file, "--json", "--as", "surface"]));
    assert!(
        report["pairs"].as_array().unwrap().iter().all(|pair| pair["guarantee"] == "tessellated"),
        "{report}"
    );
    let mut command = std::process::Command::new(crate::PROGRAM);
    let output =
        command.args(["check", &file, "--cad-reader", "kernel"]).env("NOLI_PYTHON", "/nowhere/python");
    let text = stderr(&output.output().unwrap());
    assert!(text.contains("OpenCASCADE"), "{text}");
}
