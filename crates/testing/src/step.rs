//! STEP files of rings and shafts, for tests.

/// A STEP file in the making: instances, numbered from 1.
#[derive(Default)]
pub struct Step {
    data: String,
    count: usize,
}

impl Step {
    fn add(&mut self, text: impl AsRef<str>) -> usize {
        self.count += 1;
        self.data.push_str(&format!("#{} = {};\n", self.count, text.as_ref()));
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
    pub fn ring(&mut self, name: &str, radii: [f64; 2], [low, high]: [f64; 2]) -> usize {
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

    /// An open shell: the curved face of a cylinder.
    pub fn tube(&mut self, name: &str, radius: f64, [low, high]: [f64; 2]) -> usize {
        let rims = [low, high].map(|z| self.circle(radius, z));
        let a = self.axis(low);
        let s = self.add(format!("CYLINDRICAL_SURFACE('',#{a},{radius:?})"));
        let bounds = [self.bound(rims[0], true), self.bound(rims[1], false)];
        let face = self.face("outside", &bounds, s, true);
        let shell = self.add(format!("OPEN_SHELL('',(#{face}))"));
        self.add(format!("SHELL_BASED_SURFACE_MODEL('{name}',(#{shell}))"))
    }

    /// The whole file with these solids, in millimetres.
    pub fn text(mut self, solids: &[usize]) -> String {
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
