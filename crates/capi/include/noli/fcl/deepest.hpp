// Contacts in closed form, as FCL places them: two spheres, and a primitive with a half-space or a plane.
#ifndef NOLI_FCL_DEEPEST_HPP
#define NOLI_FCL_DEEPEST_HPP

#include "requests.hpp"

namespace fcl {
namespace detail {

// Half-space or plane in the world: n·x <= d, or n·x = d.
template <typename S>
struct Flat {
  Vector3<S> n;
  S d;
  bool plane;
  Flat(const CollisionGeometry<S> *o, const Transform3<S> &tf) : plane(o->getNodeType() == GEOM_PLANE) {
    const Vector3<S> &local = plane ? static_cast<const Plane<S> *>(o)->n : static_cast<const Halfspace<S> *>(o)->n;
    n = tf.linear() * local;
    d = (plane ? static_cast<const Plane<S> *>(o)->d : static_cast<const Halfspace<S> *>(o)->d) + n.dot(tf.translation());
  }
  // Signed distance of two parallel ones; minus infinity if they intersect.
  S distance(const Flat &o) const {
    const S cosine = n.dot(o.n);
    if (std::abs(cosine) < S(1) - std::numeric_limits<S>::epsilon() * 4) return -std::numeric_limits<S>::infinity();
    const S offset = cosine > 0 ? d - o.d : -d - o.d;
    if (plane && o.plane) return std::abs(offset);
    if (cosine < 0 || plane) return offset;
    return o.plane ? -offset : -std::numeric_limits<S>::infinity();
  }
};

// A point of a primitive that is farthest along `u`, a unit vector in its frame: of a face, an edge or a circle its centre.
// False for other shapes.
template <typename S>
bool farthest(const CollisionGeometry<S> *o, const Vector3<S> &u, Vector3<S> &p) {
  const S tolerance = S(1e-7);
  const auto sign = [&](S x) { return std::abs(x) < tolerance ? S(0) : x > 0 ? S(1) : S(-1); };
  const Vector3<S> across = Vector3<S>(u[0], u[1], 0);
  const Vector3<S> rim = across.norm() < tolerance ? Vector3<S>(Vector3<S>::Zero()) : Vector3<S>(across.normalized());
  switch (o->getNodeType()) {
    case GEOM_SPHERE:
      p = u * static_cast<const Sphere<S> *>(o)->radius;
      return true;
    case GEOM_BOX:
      for (int i = 0; i < 3; ++i) p[i] = sign(u[i]) * static_cast<const Box<S> *>(o)->side[i] / 2;
      return true;
    case GEOM_CAPSULE: {
      const auto *capsule = static_cast<const Capsule<S> *>(o);
      p = u * capsule->radius + Vector3<S>(0, 0, sign(u[2]) * capsule->lz / 2);
      return true;
    }
    case GEOM_CYLINDER: {
      const auto *cylinder = static_cast<const Cylinder<S> *>(o);
      p = rim * cylinder->radius + Vector3<S>(0, 0, sign(u[2]) * cylinder->lz / 2);
      return true;
    }
    case GEOM_CONE: {
      const auto *cone = static_cast<const Cone<S> *>(o);
      const Vector3<S> tip(0, 0, cone->lz / 2), base = rim * cone->radius - tip;
      p = u.dot(tip) > u.dot(base) ? tip : base;
      return true;
    }
    case GEOM_ELLIPSOID: {
      const Vector3<S> &r = static_cast<const Ellipsoid<S> *>(o)->radii;
      const Vector3<S> scaled = r.cwiseProduct(u);
      p = r.cwiseProduct(scaled) / scaled.norm();
      return true;
    }
    default:
      return false;
  }
}

// Where the axis of a capsule passes through a plane, if its ends lie on different sides.
template <typename S>
bool axis_point(const CollisionGeometry<S> *o, const Transform3<S> &tf, const Flat<S> &flat, Vector3<S> &p) {
  if (o->getNodeType() != GEOM_CAPSULE) return false;
  const Vector3<S> half(0, 0, static_cast<const Capsule<S> *>(o)->lz / 2);
  const Vector3<S> top = tf * half, bottom = tf * Vector3<S>(-half);
  const S above = flat.n.dot(top) - flat.d, below = flat.n.dot(bottom) - flat.d;
  if (!(above * below < -std::numeric_limits<S>::epsilon())) return false;
  p = (top * std::abs(below) + bottom * std::abs(above)) / (std::abs(above) + std::abs(below));
  return true;
}

// Contact of a primitive, the first object, with a half-space or a plane that it overlaps. A plane is left to the side that is
// nearer; its contact point lies on it. That of a half-space is halfway between its border and the deepest point.
template <typename S>
bool flat_contact(const CollisionGeometry<S> *o, const Transform3<S> &tf, const Flat<S> &flat, ContactPoint<S> &contact) {
  const Vector3<S> local = tf.linear().transpose() * flat.n;
  Vector3<S> low;
  if (!farthest(o, Vector3<S>(-local), low)) return false;
  low = tf * low;
  contact.normal = -flat.n;
  contact.penetration_depth = flat.d - flat.n.dot(low);
  contact.pos = low + flat.n * (contact.penetration_depth / 2);
  if (!flat.plane) return true;
  Vector3<S> high;
  farthest(o, local, high);
  high = tf * high;
  contact.pos = low + flat.n * contact.penetration_depth;
  const S depth = flat.n.dot(high) - flat.d;
  if (depth <= contact.penetration_depth) {
    contact.normal = flat.n;
    contact.penetration_depth = depth;
    contact.pos = high - flat.n * depth;
  }
  axis_point(o, tf, flat, contact.pos);
  // A cone whose axis is parallel to a plane: the middle of the section of its deepest line.
  if (o->getNodeType() == GEOM_CONE && std::abs(local[2]) < S(1e-7)) {
    const auto *cone = static_cast<const Cone<S> *>(o);
    const Vector3<S> axis = tf.linear().col(2), origin = tf.translation();
    const S share = contact.penetration_depth / cone->radius - 1;
    contact.pos = origin + axis * (share * cone->lz / 2) - flat.n * (flat.n.dot(origin) - flat.d);
  }
  return true;
}

// The point of a box or a cylinder that is nearest to `c`, in its frame; for a point inside, the nearest point of the surface
// and `inside`. The first of several that are equally near. False for other shapes.
template <typename S>
bool nearest_point(const CollisionGeometry<S> *o, const Vector3<S> &c, Vector3<S> &nearest, bool &inside) {
  if (o->getNodeType() == GEOM_BOX) {
    const Vector3<S> half = static_cast<const Box<S> *>(o)->side / 2;
    nearest = c.cwiseMin(half).cwiseMax(-half);
    inside = nearest == c;
    if (!inside) return true;
    int axis = 0;
    (half - c.cwiseAbs()).minCoeff(&axis);
    nearest[axis] = c[axis] < 0 ? -half[axis] : half[axis];
    return true;
  }
  if (o->getNodeType() != GEOM_CYLINDER) return false;
  const auto *cylinder = static_cast<const Cylinder<S> *>(o);
  const S half = cylinder->lz / 2, across = std::sqrt(c[0] * c[0] + c[1] * c[1]);
  const S z = std::min(std::max(c[2], -half), half);
  inside = across <= cylinder->radius && z == c[2];
  const Vector3<S> outward = across > 0 ? Vector3<S>(c[0] / across, c[1] / across, 0) : Vector3<S>(1, 0, 0);
  if (!inside) {
    const S reach = std::min(across, cylinder->radius);
    nearest = Vector3<S>(reach < across ? outward[0] * reach : c[0], reach < across ? outward[1] * reach : c[1], z);
  } else if (half - std::abs(c[2]) <= cylinder->radius - across) {
    nearest = Vector3<S>(c[0], c[1], c[2] < 0 ? -half : half);
  } else {
    nearest = Vector3<S>(outward[0] * cylinder->radius, outward[1] * cylinder->radius, c[2]);
  }
  return true;
}

// Contact of a sphere, the first object, with a box or a cylinder that it overlaps.
template <typename S>
bool solid_contact(const Sphere<S> &sphere, const Transform3<S> &tf1, const CollisionGeometry<S> *o,
                   const Transform3<S> &tf2, ContactPoint<S> &contact) {
  const Vector3<S> c = tf2.inverse() * Vector3<S>(tf1.translation());
  Vector3<S> nearest;
  bool inside = false;
  if (!nearest_point(o, c, nearest, inside)) return false;
  Vector3<S> normal = inside ? Vector3<S>(c - nearest) : Vector3<S>(nearest - c);
  const S apart = normal.norm();
  if (!(apart > 0)) return false;
  normal /= apart;
  contact.penetration_depth = inside ? sphere.radius + apart : sphere.radius - apart;
  contact.normal = tf2.linear() * normal;
  contact.pos = tf2 * Vector3<S>(nearest + normal * (contact.penetration_depth / 2));
  return true;
}

// Contact of two overlapping spheres: the centres divided by the radii. No normal if the centres coincide.
template <typename S>
ContactPoint<S> sphere_contact(const Sphere<S> &a, const Vector3<S> &at_a, const Sphere<S> &b, const Vector3<S> &at_b) {
  const Vector3<S> apart = at_b - at_a;
  const S length = apart.norm(), sum = a.radius + b.radius;
  const Vector3<S> normal = length > 0 ? Vector3<S>(apart / length) : Vector3<S>(Vector3<S>::Zero());
  return ContactPoint<S>(normal, sum > 0 ? Vector3<S>(at_a + apart * (a.radius / sum)) : at_a, sum - length);
}

}  // namespace detail
}  // namespace fcl

#endif
