//! Ready-made expressions, negative inside: simple solids, quadrics with perturbation functions after
//! Vyatkin, noise spheres and fur after Savchenko & Pasko.

use super::expr::Expr;
use glam::DVec3;

/// `x² + y² + z²`
fn norm_sq() -> Expr {
    let [x, y, z] = Expr::xyz();
    x.square() + y.square() + z.square()
}

/// A sphere about the origin: `x² + y² + z² − r²`.
pub fn sphere(radius: f64) -> Expr {
    norm_sq() - Expr::constant(radius).square()
}

/// A ring about the z axis.
pub fn torus(ring_radius: f64, tube_radius: f64) -> Expr {
    let [x, y, z] = Expr::xyz();
    let from_ring = (x.square() + y.square()).sqrt() - ring_radius;
    from_ring.square() + z.square() - Expr::constant(tube_radius).square()
}

/// A box about the origin.
pub fn cuboid(half_extents: DVec3) -> Expr {
    let [x, y, z] = Expr::xyz();
    let within = |coordinate: Expr, half: f64| coordinate.abs() - half;
    within(x, half_extents.x).max(&within(y, half_extents.y)).max(&within(z, half_extents.z))
}

/// A quadratic function of x, y and z in the literature's orientation: **positive inside**.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quadric {
    /// Of `x²`, `y²`, `z²`: A11, A22, A33.
    pub squares: [f64; 3],
    /// Of `xy`, `xz`, `yz`: A12, A13, A23.
    pub mixed: [f64; 3],
    /// Of `x`, `y`, `z`: A14, A24, A34.
    pub linear: [f64; 3],
    /// A44.
    pub constant: f64,
}

impl Quadric {
    /// A sphere; coefficients are rounded.
    pub fn sphere(center: DVec3, radius: f64) -> Self {
        Self::ellipsoid(center, DVec3::splat(radius))
    }

    /// An ellipsoid `1 − ((x−c)/r)² − ...`; coefficients are rounded.
    pub fn ellipsoid(center: DVec3, radii: DVec3) -> Self {
        let inverse_sq = (radii * radii).recip();
        Self {
            squares: (-inverse_sq).to_array(),
            mixed: [0.0; 3],
            linear: (2.0 * inverse_sq * center).to_array(),
            constant: 1.0 - (inverse_sq * center * center).element_sum(),
        }
    }

    /// The function, positive inside.
    pub fn expr(&self) -> Expr {
        let [x, y, z] = Expr::xyz();
        let terms = [
            x.square() * self.squares[0],
            y.square() * self.squares[1],
            z.square() * self.squares[2],
            &x * &y * self.mixed[0],
            &x * &z * self.mixed[1],
            &y * &z * self.mixed[2],
            x * self.linear[0],
            y * self.linear[1],
            z * self.linear[2],
        ];
        terms.into_iter().fold(Expr::constant(self.constant), |sum, term| sum + term)
    }
}

/// A free form after Vyatkin: a quadric `F` and bumps, `F + Σ f·max(Q, 0)^p`, positive inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Perturbed {
    /// `F`.
    pub base: Quadric,
    /// Signed form factors `f` and the quadrics `Q` whose inside each bump fills.
    pub bumps: Vec<(f64, Quadric)>,
    /// `p`: 2 joins bumps with a continuous normal, 3 with continuous curvature.
    pub power: i32,
}

impl Perturbed {
    /// As an object: negative inside.
    pub fn expr(&self) -> Expr {
        let bump = |(factor, quadric): &(f64, Quadric)| {
            quadric.expr().max(&Expr::constant(0.0)).powi(self.power) * *factor
        };
        -self.bumps.iter().fold(self.base.expr(), |sum, each| sum + bump(each))
    }
}

/// The waves of Gardner's solid noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waves {
    /// Height of one factor; the noise reaches about `(1.85·a)³`.
    pub amplitude: f64,
    /// Waves for each 2π of length.
    pub frequency: f64,
    /// Amount by which one axis shifts the waves of the next.
    pub shift: f64,
}

impl Default for Waves {
    fn default() -> Self {
        Self { amplitude: 2.5, frequency: 0.7, shift: 1.4 }
    }
}

/// Solid noise after Gardner: a product of three pairs of waves, each shifted by the next axis.
pub fn gardner_noise(waves: &Waves) -> Expr {
    let [x, y, z] = Expr::xyz();
    let factor = |along: &Expr, across: &Expr| {
        let first = (along * waves.frequency).sin() * waves.amplitude;
        let shift = (across * waves.frequency).sin() * waves.shift;
        let second = (along * (waves.frequency / 1.35) + shift).sin() * (waves.amplitude / 1.17);
        first + second
    };
    factor(&x, &z) * factor(&y, &x) * factor(&z, &y)
}

/// A sphere with solid noise on it: inside where `r² − x² − y² − z² + noise >= 0`.
pub fn noise_sphere(radius: f64, waves: &Waves) -> Expr {
    sphere(radius) - gardner_noise(waves)
}

/// An object with hairs of length `offset` in value: the object, and beyond it what lies in the rays where
/// `sin(k·u)·sin(k·v)·sin(k·w) > sparsity` for the direction `(u, v, w)` from the origin.
pub fn furry(body: &Expr, offset: f64, density: f64, sparsity: f64) -> Expr {
    let length = norm_sq().sqrt();
    let [u, v, w] = Expr::xyz().map(|coordinate| ((coordinate / &length) * density).sin());
    let bald = sparsity - u * v * w;
    body.union(&(body - offset).intersection(&bald))
}
