//! STEP files.

use noli_brep::{Options, SurfaceKind, relation, step};
use noli_geom::Relation;
use std::fmt::Write;

/// A STEP file in the making: instances numbered from 1.
#[derive(Default)]
struct Writer {
    data: String,
    count: usize,
}

impl Writer {
    fn add(&mut self, text: impl AsRef<str>) -> usize {
        self.count += 1;
        writeln!(self.data, "#{} = {};", self.count, text.as_ref()).unwrap();
        self.count
    }

    fn point(&mut self, [x, y, z]: [f64; 3]) -> usize {
        self.add(format!("CARTESIAN_POINT('',({x:?},{y:?},{z:?}))"))
    }

    fn axis(&mut self, z: f64) -> usize {
        let p = self.point([0.0, 0.0, z]);
        let d = self.add("DIRECTION('',(0.,0.,1.))");
        let x = self.add("DIRECTION('',(1.,0.,0.))");
        self.add(format!("AXIS2_PLACEMENT_3D('',#{p},#{d},#{x})"))
    }

    /// An edge that is a whole circle.
    fn circle(&mut self, radius: f64, z: f64) -> usize {
        let a = self.axis(z);
        let c = self.add(format!("CIRCLE('',#{a},{radius:?})"));
        let p = self.point([radius, 0.0, z]);
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
        let bounds: Vec<String> = bounds.iter().map(|b| format!("#{b}")).collect();
        let flag = if sense { "T" } else { "F" };
        self.add(format!("ADVANCED_FACE('{name}',({}),#{surface},.{flag}.)", bounds.join(",")))
    }

    /// A solid between radii 0 or `inner`, and `outer`, from `z` to `z + height`.
    fn ring(&mut self, name: &str, inner: Option<f64>, outer: f64, z: f64, height: f64) -> usize {
        let rims = [z, z + height].map(|z| self.circle(outer, z));
        let holes = inner.map(|r| [z, z + height].map(|z| self.circle(r, z)));
        let mut faces = Vec::new();
        let a = self.axis(z);
        let s = self.add(format!("CYLINDRICAL_SURFACE('',#{a},{outer:?})"));
        let bounds = [self.bound(rims[0], true), self.bound(rims[1], false)];
        faces.push(self.face("outer", &bounds, s, true));
        if let (Some(r), Some(holes)) = (inner, holes) {
            let s = self.add(format!("CYLINDRICAL_SURFACE('',#{a},{r:?})"));
            let bounds = [self.bound(holes[0], false), self.bound(holes[1], true)];
            faces.push(self.face("bore", &bounds, s, false));
        }
        for (k, z) in [z, z + height].into_iter().enumerate() {
            let a = self.axis(z);
            let s = self.add(format!("PLANE('',#{a})"));
            let mut bounds = vec![self.bound(rims[k], k == 1)];
            if let Some(holes) = holes {
                bounds.push(self.bound(holes[k], k == 0));
            }
            faces.push(self.face(if k == 0 { "bottom" } else { "top" }, &bounds, s, k == 1));
        }
        let list: Vec<String> = faces.iter().map(|f| format!("#{f}")).collect();
        let shell = self.add(format!("CLOSED_SHELL('',({}))", list.join(",")));
        self.add(format!("MANIFOLD_SOLID_BREP('{name}',#{shell})"))
    }

    fn context(&mut self, unit: &str) -> usize {
        let millimetre = self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))");
        let length = if unit.ends_with("inch") {
            // With the type of the measure, and without, as OpenCASCADE 8 writes it.
            let measure = if unit == "bare inch" { "25.4" } else { "LENGTH_MEASURE(25.4)" };
            let m = self.add(format!("LENGTH_MEASURE_WITH_UNIT({measure},#{millimetre})"));
            self.add(format!("(CONVERSION_BASED_UNIT('INCH',#{m}) LENGTH_UNIT() NAMED_UNIT(*))"))
        } else {
            millimetre
        };
        let angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))");
        let u = self.add(format!("UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),#{length},'','')"));
        self.add(format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#{u})) \
             GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle})) REPRESENTATION_CONTEXT('',''))"
        ))
    }

    fn finish(&self) -> String {
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n{}ENDSEC;\nEND-ISO-10303-21;\n",
            self.data
        )
    }
}

/// Two solids of one representation.
fn pin_in_bush(pin: f64, unit: &str) -> String {
    let mut writer = Writer::default();
    let solids = [writer.ring("bush", Some(8.0), 16.0, 0.0, 20.0), writer.ring("pin", None, pin, -5.0, 30.0)];
    let context = writer.context(unit);
    writer.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{},#{}),#{context})", solids[0], solids[1]));
    writer.finish()
}

#[test]
fn solids_units_and_fits() {
    for (unit, factor) in [("millimetre", 1.0), ("inch", 25.4), ("bare inch", 25.4)] {
        for (pin, expected) in
            [(7.9925, Relation::Separated), (8.0, Relation::Touching), (8.01, Relation::Intersecting)]
        {
            let file = step::read(pin_in_bush(pin, unit).as_bytes()).unwrap();
            assert!(file.unread.is_empty(), "{:?}", file.unread);
            assert_eq!(file.parts.iter().map(|p| p.path.join("/")).collect::<Vec<_>>(), ["bush", "pin"]);
            let [bush, shaft] = &file.parts[..] else { panic!("two parts") };
            assert_eq!(bush.body.kinds()[&SurfaceKind::Cylinder], 2);
            assert_eq!(bush.body.kinds()[&SurfaceKind::Plane], 2);
            assert!((bush.body.uncertainty() - 1e-7 * factor).abs() < 1e-15);
            let found = relation(&shaft.body, &bush.body, &shaft.pose, &bush.pose, &Options::default());
            assert_eq!(found.relation, expected, "{pin} {unit}: {found:?}");
            assert!(found.is_certain);
            let fit = &found.fits[0];
            assert!((fit.clearance - (8.0 - pin) * factor).abs() < 1e-12 * factor, "{fit:?}");
            assert_eq!(shaft.body.face_name(fit.face_a), "outer");
            assert_eq!(bush.body.face_name(fit.face_b), "bore");
        }
    }
}

/// Degrees, multiplicities and indices are whole numbers: others are not cut to the next.
#[test]
fn counts_that_are_not_whole_are_listed() {
    let rim = "CIRCLE('',#4,16.0)";
    let spline = |degree: &str, multiplicities: &str| {
        let points = "(#1,#6,#1)";
        format!("B_SPLINE_CURVE_WITH_KNOTS('',{degree},{points},.U.,.F.,.F.,({multiplicities}),(0.,1.),.U.)")
    };
    let text = pin_in_bush(8.0, "millimetre");
    assert!(text.contains(rim), "{text}");
    for (degree, multiplicities, wanted) in [
        ("2.5", "3,3", "parameter 2 is not a whole number"),
        ("-1", "3,3", "parameter 2 is not a whole number"),
        ("2", "3,3.25", "parameter 7 is not a list of whole numbers"),
        ("2", "3,1.E300", "parameter 7 is not a list of whole numbers"),
    ] {
        let file = step::read(text.replacen(rim, &spline(degree, multiplicities), 1).as_bytes()).unwrap();
        let reasons: Vec<&str> = file.unread.iter().map(|unread| unread.reason.as_str()).collect();
        assert!(
            reasons.iter().any(|reason| reason.contains(wanted)),
            "{degree} {multiplicities}: {reasons:?}"
        );
    }
}

#[test]
fn what_is_not_supported_is_listed_with_its_line() {
    let text = pin_in_bush(8.0, "millimetre").replacen("PLANE(''", "OFFSET_SURFACE(''", 1);
    let line = text.lines().position(|l| l.contains("OFFSET_SURFACE")).unwrap() + 1;
    let file = step::read(text.as_bytes()).unwrap();
    assert_eq!(file.parts.len(), 1);
    assert_eq!((file.unread[0].entity.as_str(), file.unread[0].line), ("OFFSET_SURFACE", line));
}

/// A file whose pin is mapped into the representation of its bush by a transformation operator.
fn mapped(operator: &str) -> String {
    let mut writer = Writer::default();
    let (bush, pin) =
        (writer.ring("bush", Some(8.0), 16.0, 0.0, 20.0), writer.ring("pin", None, 8.0, -5.0, 30.0));
    let context = writer.context("millimetre");
    let own = writer.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{pin}),#{context})"));
    let origin = writer.axis(0.0);
    let map = writer.add(format!("REPRESENTATION_MAP(#{origin},#{own})"));
    let place = writer.point([30.0, 0.0, 0.0]);
    let axes =
        ["1.,0.,0.", "0.,1.,0.", "0.,0.,1.", "0.,-1.,0."].map(|d| writer.add(format!("DIRECTION('',({d}))")));
    let words = [("place", place), ("back", axes[3]), ("x", axes[0]), ("y", axes[1]), ("z", axes[2])];
    let operator =
        words.iter().fold(operator.to_owned(), |text, (word, id)| text.replace(word, &format!("#{id}")));
    let target = writer.add(operator);
    let item = writer.add(format!("MAPPED_ITEM('moved pin',#{map},#{target})"));
    writer.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{bush},#{item}),#{context})"));
    writer.finish()
}

#[test]
fn rigid_operators_of_mapped_items_are_read() {
    let simple = "CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,";
    let complex = "(CARTESIAN_TRANSFORMATION_OPERATOR(z,x,place,1.)CARTESIAN_TRANSFORMATION_OPERATOR_3D(y)\
                   FUNCTIONALLY_DEFINED_TRANSFORMATION('','')GEOMETRIC_REPRESENTATION_ITEM()REPRESENTATION_ITEM(''))";
    for (operator, top) in [
        (format!("{simple}x,y,place,1.,z)"), [30.0, 0.0, 25.0]),
        (format!("{simple}$,$,place,$,$)"), [30.0, 0.0, 25.0]),
        (format!("{simple}y,z,place,1.0,x)"), [55.0, 0.0, 0.0]),
        (complex.to_owned(), [30.0, 25.0, 0.0]),
    ] {
        let file = step::read(mapped(&operator).as_bytes()).unwrap();
        assert!(file.unread.is_empty() && file.left_out.is_empty(), "{operator}: {:?}", file.unread);
        let names: Vec<String> = file.parts.iter().map(|part| part.path.join("/")).collect();
        assert_eq!(names, ["bush", "moved pin"], "{operator}");
        let moved = file.parts[1].pose.transform_point(glam::dvec3(0.0, 0.0, 25.0));
        assert!(moved.distance(glam::DVec3::from(top)) < 1e-12, "{operator}: {moved}");
    }
}

#[test]
fn mirrors_and_scales_are_named_with_their_line() {
    for (rest, reason) in [
        ("x,back,place,1.,z)", "it mirrors: only rotations and translations"),
        ("x,y,place,2.,z)", "it scales by 2: only rotations"),
        ("x,y,place,.F.,z)", "its scale is no number"),
        ("z,y,place,1.,z)", "are parallel"),
        ("x,y,$,1.,z)", "its local origin is not a reference"),
    ] {
        let text = mapped(&format!("CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,{rest}"));
        let line = text.lines().position(|line| line.contains("OPERATOR_3D")).unwrap() + 1;
        let file = step::read(text.as_bytes()).unwrap();
        let [found] = &file.unread[..] else { panic!("{rest}: {:?}", file.unread) };
        assert_eq!((found.entity.as_str(), found.line), ("CARTESIAN_TRANSFORMATION_OPERATOR_3D", line));
        assert!(found.reason.contains(reason), "{}", found.reason);
    }
}

/// A solid in no representation is listed, not forgotten.
#[test]
fn solids_outside_of_representations_are_listed() {
    let text = pin_in_bush(8.0, "millimetre");
    let pin = text.lines().find(|line| line.contains("MANIFOLD_SOLID_BREP('pin'")).unwrap();
    let id = pin.split(' ').next().unwrap();
    let line = text.lines().position(|other| other == pin).unwrap() + 1;
    let file = step::read(text.replace(&format!(",{id})"), ")").as_bytes()).unwrap();
    assert_eq!(file.parts.len(), 1);
    let [found] = &file.left_out[..] else { panic!("{:?}", file.left_out) };
    assert_eq!((found.entity.as_str(), found.line), ("MANIFOLD_SOLID_BREP", line));
    assert!(found.reason.contains("in no shape representation"), "{}", found.reason);
}

/// A file of products, each with two components of the next; the last has a body, or the first as a component.
fn doubled(levels: usize, is_cyclic: bool) -> String {
    let mut writer = Writer::default();
    let body = writer.ring("pin", None, 8.0, 0.0, 1.0);
    let context = writer.context("millimetre");
    let mut definitions = Vec::new();
    for level in 0..=levels {
        let product = writer.add(format!("PRODUCT('level {level}','','',())"));
        let formation = writer.add(format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
        definitions.push(writer.add(format!("PRODUCT_DEFINITION('','',#{formation},$)")));
    }
    let shape = writer.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{body}),#{context})"));
    let last = writer.add(format!("PRODUCT_DEFINITION_SHAPE('','',#{})", definitions[levels]));
    writer.add(format!("SHAPE_DEFINITION_REPRESENTATION(#{last},#{shape})"));
    for two in definitions.windows(2) {
        for name in ["left", "right"] {
            writer.add(format!("NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','','',#{},#{},$)", two[0], two[1]));
        }
    }
    if is_cyclic {
        let (last, first) = (definitions[levels], definitions[0]);
        writer.add(format!("NEXT_ASSEMBLY_USAGE_OCCURRENCE('back','','',#{last},#{first},$)"));
    }
    writer.finish()
}

/// An assembly of plates and bolts whose components have these names.
fn assembly(components: &[(&str, &str)]) -> Vec<String> {
    let mut writer = Writer::default();
    let context = writer.context("millimetre");
    let product = |writer: &mut Writer, name: &str| {
        let product = writer.add(format!("PRODUCT('{name}','{name}','',())"));
        let formation = writer.add(format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
        writer.add(format!("PRODUCT_DEFINITION('','',#{formation},$)"))
    };
    let root = product(&mut writer, "ASM");
    let mut parts = std::collections::BTreeMap::new();
    for (name, own) in components {
        let part = *parts.entry(*name).or_insert_with(|| {
            let body = writer.ring("body", None, 8.0, 0.0, 1.0);
            let shape = writer.add(format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{body}),#{context})"));
            let part = product(&mut writer, name);
            let of = writer.add(format!("PRODUCT_DEFINITION_SHAPE('','',#{part})"));
            writer.add(format!("SHAPE_DEFINITION_REPRESENTATION(#{of},#{shape})"));
            part
        });
        writer.add(format!("NEXT_ASSEMBLY_USAGE_OCCURRENCE('0','{own}','',#{root},#{part},$)"));
    }
    let file = step::read(writer.finish().as_bytes()).unwrap();
    assert!(file.unread.is_empty(), "{:?}", file.unread);
    file.parts.iter().map(|part| part.path.join("/")).collect()
}

/// Pro/ENGINEER names all components alike.
#[test]
fn parts_have_the_names_of_their_products() {
    let same = "Next assembly relationship";
    let found = assembly(&[("PLATE", same), ("BOLT", same), ("BOLT", same)]);
    assert_eq!(found, ["ASM/PLATE", "ASM/BOLT", "ASM/BOLT"]);
    let found = assembly(&[("PLATE", "base"), ("BOLT", "left"), ("BOLT", "right")]);
    assert_eq!(found, ["ASM/PLATE", "ASM/BOLT:left", "ASM/BOLT:right"]);
    assert_eq!(assembly(&[("BOLT", "BOLT-1"), ("BOLT", "BOLT-2")]), ["ASM/BOLT-1", "ASM/BOLT-2"]);
    assert_eq!(assembly(&[("", "left"), ("", "right")]), ["ASM/left", "ASM/right"]);
}

#[test]
fn assemblies_are_counted_before_they_are_expanded() {
    let file = step::read(doubled(3, false).as_bytes()).unwrap();
    assert_eq!((file.parts.len(), file.unread.len()), (8, 0), "{:?}", file.unread);
    let start = std::time::Instant::now();
    for (levels, is_cyclic, reason) in [
        (30, false, "hold 1073741824 bodies when expanded; at most 1000000"),
        (60, false, "bodies when expanded"),
        (100, false, "nested more than 64 deep"),
        (2, true, "a component of itself"),
    ] {
        let file = step::read(doubled(levels, is_cyclic).as_bytes()).unwrap();
        let [found] = &file.unread[..] else { panic!("{levels}: {:?}", file.unread) };
        assert!(found.reason.contains(reason) && found.line > 0, "{levels}: {found:?}");
        assert!(found.entity == "PRODUCT_DEFINITION" && file.parts.is_empty(), "{found:?}");
    }
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

/// Damaged files give an error or fewer bodies, and never a panic.
#[test]
fn damaged_files_are_survived() {
    let text = pin_in_bush(8.0, "millimetre");
    let mut random = noli_testing::Random::new(21);
    for _ in 0..3_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.index(4) {
            let at = random.index(bytes.len());
            bytes[at] = b"0123456789#(),.'$*;-ET\n"[random.index(23)];
        }
        let _ = step::read(&bytes);
    }
}

/// Published files are read whole, with the kinds of faces that another kernel counts.
#[test]
fn published_files_are_read() {
    let Some(folder) = noli_testing::data("cad/step") else { return };
    let bytes = std::fs::read(folder.join("featuretype.STEP")).unwrap();
    let file = step::read(&bytes).unwrap();
    assert!(file.unread.is_empty(), "{:?}", file.unread);
    let [part] = &file.parts[..] else { panic!("one part") };
    let kinds = part.body.kinds();
    assert_eq!(
        (kinds[&SurfaceKind::Plane], kinds[&SurfaceKind::Cylinder], kinds[&SurfaceKind::Spline]),
        (49, 46, 1)
    );
    assert!(part.body.gap() < 1e-3, "{}", part.body.gap());
    let found = relation(&part.body, &part.body, &part.pose, &part.pose, &Options::default());
    assert_eq!(found.relation, Relation::Intersecting);
}
