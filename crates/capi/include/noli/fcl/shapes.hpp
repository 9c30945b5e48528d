// Primitive shapes.
#ifndef NOLI_FCL_SHAPES_HPP
#define NOLI_FCL_SHAPES_HPP

#include "geometry.hpp"

namespace fcl {

// Base of all shapes.
template <typename S_>
class ShapeBase : public CollisionGeometry<S_> {
 public:
  using S = S_;
  OBJECT_TYPE getObjectType() const override { return OT_GEOM; }

 protected:
  template <typename Make>
  const detail::CachedModel::Entry &cached(const detail::CachedModel::Numbers &numbers, Make make) const {
    return cache_.get(numbers, make);
  }
  void set_box(S x, S y, S z) {
    const Vector3<S> half(x, y, z);
    this->set_local(AABB<S>(Vector3<S>(-half), half));
  }
  // Moment of inertia of a body whose second moments along the axes are its volume times these squares over a divisor.
  Matrix3<S> inertia_of_lengths(const Vector3<S> &lengths, S divisor) const {
    const Vector3<S> q = lengths.cwiseProduct(lengths);
    return (Vector3<S>(q[1] + q[2], q[0] + q[2], q[0] + q[1]) * (this->computeVolume() / divisor)).asDiagonal();
  }

 private:
  detail::CachedModel cache_;
};

// Box around the origin, by the lengths of its edges.
template <typename S_>
class Box : public ShapeBase<S_> {
 public:
  using S = S_;
  Vector3<S> side;
  Box(S x, S y, S z) : side(x, y, z) {}
  explicit Box(const Vector3<S> &side_) : side(side_) {}
  Box() : side(Vector3<S>::Zero()) {}
  NODE_TYPE getNodeType() const override { return GEOM_BOX; }
  void computeLocalAABB() override { this->set_box(side[0] / 2, side[1] / 2, side[2] / 2); }
  S computeVolume() const override { return side.prod(); }
  Matrix3<S> computeMomentofInertia() const override { return this->inertia_of_lengths(side, 12); }
  const detail::CachedModel::Entry &entry() const override {
    return this->cached({{side[0], side[1], side[2]}},
                        [&] { return ::noli::Model::box(side[0], side[1], side[2]); });
  }
};

// Sphere around the origin.
template <typename S_>
class Sphere : public ShapeBase<S_> {
 public:
  using S = S_;
  S radius;
  explicit Sphere(S radius_) : radius(radius_) {}
  NODE_TYPE getNodeType() const override { return GEOM_SPHERE; }
  void computeLocalAABB() override {
    this->set_box(radius, radius, radius);
    this->aabb_radius = radius;
  }
  S computeVolume() const override { return 4 * constants<S>::pi() * radius * radius * radius / 3; }
  Matrix3<S> computeMomentofInertia() const override {
    return Matrix3<S>::Identity() * (S(0.4) * computeVolume() * radius * radius);
  }
  const detail::CachedModel::Entry &entry() const override {
    return this->cached({{radius}}, [&] { return ::noli::Model::sphere(radius); });
  }
};

// Ellipsoid around the origin, by its half-axes.
template <typename S_>
class Ellipsoid : public ShapeBase<S_> {
 public:
  using S = S_;
  Vector3<S> radii;
  Ellipsoid(S a, S b, S c) : radii(a, b, c) {}
  explicit Ellipsoid(const Vector3<S> &radii_) : radii(radii_) {}
  NODE_TYPE getNodeType() const override { return GEOM_ELLIPSOID; }
  void computeLocalAABB() override { this->set_box(radii[0], radii[1], radii[2]); }
  S computeVolume() const override { return 4 * constants<S>::pi() * radii.prod() / 3; }
  Matrix3<S> computeMomentofInertia() const override { return this->inertia_of_lengths(radii, 5); }
  const detail::CachedModel::Entry &entry() const override {
    return this->cached({{radii[0], radii[1], radii[2]}},
                        [&] { return ::noli::Model::ellipsoid(radii[0], radii[1], radii[2]); });
  }
};

// Base of shapes with a radius about z and a length along it.
template <typename S_>
class RoundShape : public ShapeBase<S_> {
 public:
  using S = S_;
  S radius, lz;
  RoundShape(S radius_, S lz_) : radius(radius_), lz(lz_) {}
  const detail::CachedModel::Entry &entry() const override {
    return this->cached({{radius, lz}}, [&] { return make(); });
  }

 protected:
  virtual ::noli::Model make() const = 0;
  static Matrix3<S> inertia(S across, S along) { return Vector3<S>(across, across, along).asDiagonal(); }
};

// Capsule along z; lz is the length of its cylinder.
template <typename S_>
class Capsule : public RoundShape<S_> {
 public:
  using S = S_;
  using RoundShape<S>::RoundShape;
  using RoundShape<S>::radius;
  using RoundShape<S>::lz;
  NODE_TYPE getNodeType() const override { return GEOM_CAPSULE; }
  void computeLocalAABB() override { this->set_box(radius, radius, lz / 2 + radius); }
  S computeVolume() const override {
    return constants<S>::pi() * radius * radius * (lz + radius * 4 / 3.0);
  }
  Matrix3<S> computeMomentofInertia() const override {
    const S cylinder = radius * radius * lz * constants<S>::pi();
    const S sphere = radius * radius * radius * constants<S>::pi() * S(4) / S(3);
    const S across = cylinder * (lz * lz / S(12) + radius * radius / S(4)) +
                     sphere * (S(0.4) * radius * radius + S(0.375) * radius * lz + S(0.25) * lz * lz);
    const S along = (S(0.5) * cylinder + S(0.4) * sphere) * radius * radius;
    return this->inertia(across, along);
  }

 protected:
  ::noli::Model make() const override { return ::noli::Model::capsule(lz, radius); }
};

// Cylinder along z.
template <typename S_>
class Cylinder : public RoundShape<S_> {
 public:
  using S = S_;
  using RoundShape<S>::RoundShape;
  using RoundShape<S>::radius;
  using RoundShape<S>::lz;
  NODE_TYPE getNodeType() const override { return GEOM_CYLINDER; }
  void computeLocalAABB() override { this->set_box(radius, radius, lz / 2); }
  S computeVolume() const override { return constants<S>::pi() * radius * radius * lz; }
  Matrix3<S> computeMomentofInertia() const override {
    const S v = computeVolume(), across = v * (3 * radius * radius + lz * lz) / 12;
    return this->inertia(across, v * radius * radius / 2);
  }

 protected:
  ::noli::Model make() const override { return ::noli::Model::cylinder(lz, radius); }
};

// Cone along z with its tip at lz/2.
template <typename S_>
class Cone : public RoundShape<S_> {
 public:
  using S = S_;
  using RoundShape<S>::RoundShape;
  using RoundShape<S>::radius;
  using RoundShape<S>::lz;
  NODE_TYPE getNodeType() const override { return GEOM_CONE; }
  void computeLocalAABB() override { this->set_box(radius, radius, lz / 2); }
  S computeVolume() const override { return constants<S>::pi() * radius * radius * lz / 3; }
  Vector3<S> computeCOM() const override { return Vector3<S>(0, 0, -S(0.25) * lz); }
  Matrix3<S> computeMomentofInertia() const override {
    const S v = computeVolume(), across = v * (S(0.1) * lz * lz + 3 * radius * radius / 20);
    return this->inertia(across, S(0.3) * v * radius * radius);
  }

 protected:
  ::noli::Model make() const override { return ::noli::Model::cone(lz, radius); }
};

namespace detail {
inline const CachedModel::Entry &half_space_entry() {
  static const CachedModel cache;
  return cache.get({}, [] { return ::noli::Model::half_space(); });
}

// All points with n·x <= d. The quaternion (-ny, nx, 0, 1 + nz) turns z to n without rounding.
inline noli_placed half_space_at(const Vector3<double> &n, double d) {
  const Vector3<double> t = n * d;
  Pose pose{t[0], t[1], t[2], -n[1], n[0], 0, 1 + n[2]};
  if (1 + n[2] < 1e-8) pose.qx = 1, pose.qy = pose.qz = pose.qw = 0;
  return {half_space_entry().model, pose};
}

template <typename S>
AABB<S> half_space_box(const Vector3<S> &n, S d, bool plane) {
  AABB<S> box;
  box.min_.setConstant(-std::numeric_limits<S>::max());
  box.max_.setConstant(std::numeric_limits<S>::max());
  for (int i = 0; i < 3; ++i) {
    if (n[(i + 1) % 3] != 0 || n[(i + 2) % 3] != 0) continue;
    if (n[i] > 0 || plane) box.max_[i] = n[i] < 0 ? -d : d;
    if (n[i] < 0 || plane) box.min_[i] = n[i] < 0 ? -d : d;
  }
  return box;
}
}  // namespace detail

// Base of half-spaces and planes: a unit normal and an offset along it.
template <typename S_>
class FlatShape : public ShapeBase<S_> {
 public:
  using S = S_;
  Vector3<S> n;
  S d;
  FlatShape() : n(1, 0, 0), d(0) {}
  FlatShape(const Vector3<S> &n_, S d_) : n(n_), d(d_) { normalise(); }
  FlatShape(S a, S b, S c, S d_) : n(a, b, c), d(d_) { normalise(); }
  S signedDistance(const Vector3<S> &p) const { return n.dot(p) - d; }
  S distance(const Vector3<S> &p) const { return std::abs(signedDistance(p)); }
  void computeLocalAABB() override {
    this->set_local(detail::half_space_box(n, d, this->getNodeType() == GEOM_PLANE));
  }
  const detail::CachedModel::Entry &entry() const override { return detail::half_space_entry(); }
  // The half-space below the boundary (side 1) or above it (side -1).
  noli_placed side(const Transform3<S> &tf, S side) const {
    const Vector3<S> normal = tf.linear() * n;
    const S offset = d + normal.dot(tf.translation());
    return detail::half_space_at((side * normal).template cast<double>(), side * offset);
  }

 private:
  void normalise() {
    const S length = n.norm();
    if (length > 0) {
      if (length != 1) n /= length, d /= length;
    } else {
      n << 1, 0, 0;
      d = 0;
    }
  }
};

// The points with n·x <= d.
template <typename S_>
class Halfspace : public FlatShape<S_> {
 public:
  using S = S_;
  using FlatShape<S>::FlatShape;
  NODE_TYPE getNodeType() const override { return GEOM_HALFSPACE; }
  noli_placed placed(const Transform3<S> &tf) const override { return this->side(tf, S(1)); }
};

// The points with n·x = d.
template <typename S_>
class Plane : public FlatShape<S_> {
 public:
  using S = S_;
  using FlatShape<S>::FlatShape;
  NODE_TYPE getNodeType() const override { return GEOM_PLANE; }
};

// One triangle.
template <typename S_>
class TriangleP : public ShapeBase<S_> {
 public:
  using S = S_;
  Vector3<S> a, b, c;
  TriangleP(const Vector3<S> &a_, const Vector3<S> &b_, const Vector3<S> &c_) : a(a_), b(b_), c(c_) {}
  NODE_TYPE getNodeType() const override { return GEOM_TRIANGLE; }
  void computeLocalAABB() override { this->set_local(AABB<S>(a, b, c)); }
  const detail::CachedModel::Entry &entry() const override {
    const std::array<double, 9> p{{a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]}};
    return this->cached(p, [&] {
      const uint32_t triangle[3] = {0, 1, 2};
      return ::noli::Model::try_mesh(p.data(), 3, triangle, 1, false).value();
    });
  }
};

using Boxf = Box<float>;
using Boxd = Box<double>;
using Spheref = Sphere<float>;
using Sphered = Sphere<double>;
using Ellipsoidf = Ellipsoid<float>;
using Ellipsoidd = Ellipsoid<double>;
using Capsulef = Capsule<float>;
using Capsuled = Capsule<double>;
using Cylinderf = Cylinder<float>;
using Cylinderd = Cylinder<double>;
using Conef = Cone<float>;
using Coned = Cone<double>;
using Halfspacef = Halfspace<float>;
using Halfspaced = Halfspace<double>;
using Planef = Plane<float>;
using Planed = Plane<double>;
using TrianglePf = TriangleP<float>;
using TrianglePd = TriangleP<double>;

}  // namespace fcl

#endif
