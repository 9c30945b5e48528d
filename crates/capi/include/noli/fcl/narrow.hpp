// Collision and distance of two objects at rest.
#ifndef NOLI_FCL_NARROW_HPP
#define NOLI_FCL_NARROW_HPP

#include "deepest.hpp"

namespace fcl {
namespace detail {

template <typename S>
struct Pair {
  const CollisionGeometry<S> *o1, *o2;
  const Transform3<S> &tf1, &tf2;
};

inline void check(noli_status status) { ::noli::detail::check(status); }

// A geometry at a transform as bodies of which a common point of all with another body is one with the geometry: a plane is
// the border of two half-spaces, and a connected body touches it where it touches both.
template <typename S>
std::vector<noli_placed> bodies(const CollisionGeometry<S> *o, const Transform3<S> &tf) {
  if (o->getNodeType() != GEOM_PLANE) return {o->placed(tf)};
  const auto &plane = static_cast<const Plane<S> &>(*o);
  return {plane.side(tf, 1), plane.side(tf, -1)};
}

template <typename S>
bool is_flat(const CollisionGeometry<S> *o) {
  return o->getNodeType() == GEOM_PLANE || o->getNodeType() == GEOM_HALFSPACE;
}

inline bool overlap(const noli_placed &a, const noli_placed &b) {
  noli_verdict verdict = NOLI_UNKNOWN;
  check(noli_overlap(noli_context{0}, &a, &b, &verdict));
  return verdict != NOLI_SEPARATED;
}

// True if the oriented boxes of the models are separated by more than rounding can move them: a proof at the cost of a few
// dot products (separating axes, Gottschalk 1996).
template <typename S>
bool boxes_separated(const Pair<S> &pair) {
  const CachedModel::Entry &a = pair.o1->entry(), &b = pair.o2->entry();
  const Matrix3<double> r1 = pair.tf1.linear().template cast<double>(), r2 = pair.tf2.linear().template cast<double>();
  const Matrix3<double> r = r1.transpose() * r2, abs = r.cwiseAbs();
  const Vector3<double> ca = pair.tf1.template cast<double>() * a.center, cb = pair.tf2.template cast<double>() * b.center;
  const Vector3<double> t = r1.transpose() * (cb - ca);
  const double size = a.half.sum() + b.half.sum() + ca.cwiseAbs().sum() + cb.cwiseAbs().sum();
  const double slack = 1e-9 * size;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(t[i]) > a.half[i] + abs.row(i).dot(b.half) + slack) return true;
    if (std::abs(t.dot(r.col(i))) > a.half.dot(abs.col(i)) + b.half[i] + slack) return true;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double reach =
          a.half[i1] * abs(i2, j) + a.half[i2] * abs(i1, j) + b.half[j1] * abs(i, j2) + b.half[j2] * abs(i, j1);
      if (std::abs(t[i2] * r(i1, j) - t[i1] * r(i2, j)) > reach + slack) return true;
    }
  return false;
}

template <typename S>
bool shares_point(const Pair<S> &pair) {
  if (!is_flat(pair.o1) && !is_flat(pair.o2))
    return !boxes_separated(pair) && overlap(pair.o1->placed(pair.tf1), pair.o2->placed(pair.tf2));
  if (is_flat(pair.o1) && is_flat(pair.o2)) return !(Flat<S>(pair.o1, pair.tf1).distance(Flat<S>(pair.o2, pair.tf2)) > 0);
  for (const auto &a : bodies(pair.o1, pair.tf1))
    for (const auto &b : bodies(pair.o2, pair.tf2))
      if (!overlap(a, b)) return false;
  return true;
}

// A value within its bracket: that of the witness points, which is closer to the truth than the ends.
inline double within(double value, double at_least, double at_most) {
  return std::min(std::max(value, at_least), at_most);
}

inline double depth_of(const noli_contact_point &c) {
  const Vector3<double> apart = vector_of<double>(c.on_a) - vector_of<double>(c.on_b);
  return within(apart.dot(vector_of<double>(c.normal)), c.depth_at_least, c.depth_at_most);
}

inline double distance_of(const noli_clearance_result &c) {
  if (!c.has_points) return c.at_most;
  return within((vector_of<double>(c.on_a) - vector_of<double>(c.on_b)).norm(), c.at_least, c.at_most);
}

template <typename S>
ContactPoint<S> point_of(const noli_contact_point &c) {
  const Vector3<S> a = vector_of<S>(c.on_a), b = vector_of<S>(c.on_b);
  return ContactPoint<S>(vector_of<S>(c.normal), (a + b) / 2, static_cast<S>(depth_of(c)));
}

// The deepest contact of two bodies.
inline bool deepest(const noli_placed &a, const noli_placed &b, noli_contact_point &out) {
  noli_verdict verdict = NOLI_UNKNOWN;
  check(noli_contact(noli_context{0}, &a, &b, &verdict, &out));
  return verdict == NOLI_COLLIDING;
}

// Contact of two shapes that overlap, if it has a closed form.
template <typename S>
bool closed_form(const Pair<S> &pair, ContactPoint<S> &contact) {
  if (pair.o1->getNodeType() == GEOM_SPHERE && pair.o2->getNodeType() == GEOM_SPHERE) {
    contact = sphere_contact(static_cast<const Sphere<S> &>(*pair.o1), Vector3<S>(pair.tf1.translation()),
                             static_cast<const Sphere<S> &>(*pair.o2), Vector3<S>(pair.tf2.translation()));
    return true;
  }
  if (pair.o1->getNodeType() == GEOM_SPHERE &&
      solid_contact(static_cast<const Sphere<S> &>(*pair.o1), pair.tf1, pair.o2, pair.tf2, contact))
    return true;
  if (pair.o2->getNodeType() == GEOM_SPHERE &&
      solid_contact(static_cast<const Sphere<S> &>(*pair.o2), pair.tf2, pair.o1, pair.tf1, contact)) {
    contact.normal = -contact.normal;
    return true;
  }
  if (is_flat(pair.o2)) return is_flat(pair.o1) || flat_contact(pair.o1, pair.tf1, Flat<S>(pair.o2, pair.tf2), contact);
  if (!is_flat(pair.o1) || !flat_contact(pair.o2, pair.tf2, Flat<S>(pair.o1, pair.tf1), contact)) return false;
  contact.normal = -contact.normal;
  return true;
}

// Contacts of two shapes: several for two boxes, else the deepest. Empty if they are separated.
template <typename S>
std::vector<ContactPoint<S>> contacts_of(const Pair<S> &pair, std::size_t most) {
  std::vector<ContactPoint<S>> points;
  if (!shares_point(pair)) return points;
  ContactPoint<S> closed;
  if (closed_form(pair, closed)) {
    points.push_back(closed);
    return points;
  }
  // Of the two sides of a plane the one that is left by the shorter translation.
  const auto as = bodies(pair.o1, pair.tf1), bs = bodies(pair.o2, pair.tf2);
  noli_contact_point best{};
  bool found = false;
  for (const auto &a : as)
    for (const auto &b : bs) {
      noli_contact_point contact{};
      if (!deepest(a, b, contact) || (found && contact.depth_at_most >= best.depth_at_most)) continue;
      best = contact;
      found = true;
    }
  const bool boxes = pair.o1->getNodeType() == GEOM_BOX && pair.o2->getNodeType() == GEOM_BOX;
  if (boxes && most > 1) {
    noli_contact_point items[4];
    noli_contact_list list{items, 4, 0, 0};
    check(noli_manifold(noli_context{0}, &as[0], &bs[0], &list));
    for (std::size_t i = 0; i < list.count && i < 4; ++i) points.push_back(point_of<S>(items[i]));
  } else if (found) {
    points.push_back(point_of<S>(best));
  } else {
    points.emplace_back();
  }
  if (points.size() > most) points.resize(most);
  return points;
}

// Vertices of a triangle of a mesh in the world, whatever its type.
template <typename S>
bool triangle_of(const CollisionGeometry<S> *o, const Transform3<S> &tf, std::size_t number, Vector3<S> (&out)[3]);

// Normal and depth of two triangles: the triangle that must move least along the normal of the other.
template <typename S>
void triangle_contact(const Vector3<S> (&p)[3], const Vector3<S> (&q)[3], Contact<S> &contact) {
  const Vector3<S> n1 = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
  const Vector3<S> n2 = (q[1] - q[0]).cross(q[2] - q[0]).normalized();
  S below1 = 0, below2 = 0;
  for (int i = 0; i < 3; ++i) {
    below1 = std::max(below1, -n1.dot(q[i] - p[0]));
    below2 = std::max(below2, -n2.dot(p[i] - q[0]));
  }
  contact.normal = below2 <= below1 ? Vector3<S>(-n2) : n1;
  contact.penetration_depth = std::min(below1, below2);
}

// One contact for each pair of intersecting triangles, at most so many.
template <typename S>
void collide_meshes(const Pair<S> &pair, const CollisionRequest<S> &request, CollisionResult<S> &result) {
  const std::size_t room = request.num_max_contacts - result.numContacts();
  if (boxes_separated(pair)) return;
  const noli_placed a = pair.o1->placed(pair.tf1), b = pair.o2->placed(pair.tf2);
  if (!request.enable_contact && room == 1) {
    if (overlap(a, b)) result.addContact(Contact<S>(pair.o1, pair.o2, Contact<S>::NONE, Contact<S>::NONE));
    return;
  }
  std::vector<noli_intersection> items(std::min<std::size_t>(room, 64));
  noli_intersection_list list{items.data(), items.size(), 0, NOLI_COMPLETE};
  for (;;) {
    check(noli_intersections(noli_context{0}, &a, &b, &list));
    if (list.count < items.size() || items.size() == room) break;
    items.resize(std::min(room, 8 * items.size()));
    list = {items.data(), items.size(), 0, NOLI_COMPLETE};
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    const noli_intersection &found = items[i];
    Contact<S> contact(pair.o1, pair.o2, found.triangle_a, found.triangle_b);
    Vector3<S> p[3], q[3];
    if (request.enable_contact && triangle_of(pair.o1, pair.tf1, found.triangle_a, p) &&
        triangle_of(pair.o2, pair.tf2, found.triangle_b, q)) {
      contact.pos = (vector_of<S>(found.start) + vector_of<S>(found.end)) / 2;
      triangle_contact(p, q, contact);
    }
    result.addContact(contact);
  }
}

template <typename S>
std::size_t collide_pair(const Pair<S> &pair, const CollisionRequest<S> &request, CollisionResult<S> &result) {
  if (request.num_max_contacts == 0 || request.isSatisfied(result)) return result.numContacts();
  if (pair.o1->getObjectType() == OT_BVH && pair.o2->getObjectType() == OT_BVH) {
    collide_meshes(pair, request, result);
    return result.numContacts();
  }
  const std::size_t room = request.num_max_contacts - result.numContacts();
  if (room == 0) return result.numContacts();
  if (!request.enable_contact) {
    if (shares_point(pair)) result.addContact(Contact<S>(pair.o1, pair.o2, Contact<S>::NONE, Contact<S>::NONE));
    return result.numContacts();
  }
  for (const auto &point : contacts_of(pair, room))
    result.addContact(Contact<S>(pair.o1, pair.o2, Contact<S>::NONE, Contact<S>::NONE, point.pos, point.normal,
                                 point.penetration_depth));
  return result.numContacts();
}

template <typename S>
bool triangle_of(const CollisionGeometry<S> *o, const Transform3<S> &tf, std::size_t number, Vector3<S> (&out)[3]) {
  const auto take = [&](const Vector3<S> *vertices, const Triangle *triangles, int count) {
    if (count == 0) {
      for (auto &p : out) p = tf * vertices[number];
      return true;
    }
    for (int i = 0; i < 3; ++i) out[i] = tf * vertices[triangles[number][i]];
    return true;
  };
#define NOLI_FCL_TRIANGLE(NODE, ...)                                              \
  case NODE: {                                                                    \
    const auto &mesh = static_cast<const BVHModel<__VA_ARGS__> &>(*o);            \
    return take(mesh.vertices, mesh.tri_indices, mesh.num_tris);                  \
  }
  switch (o->getNodeType()) {
    NOLI_FCL_TRIANGLE(BV_AABB, AABB<S>)
    NOLI_FCL_TRIANGLE(BV_OBB, OBB<S>)
    NOLI_FCL_TRIANGLE(BV_RSS, RSS<S>)
    NOLI_FCL_TRIANGLE(BV_kIOS, kIOS<S>)
    NOLI_FCL_TRIANGLE(BV_OBBRSS, OBBRSS<S>)
    NOLI_FCL_TRIANGLE(BV_KDOP16, KDOP<S, 16>)
    NOLI_FCL_TRIANGLE(BV_KDOP18, KDOP<S, 18>)
    NOLI_FCL_TRIANGLE(BV_KDOP24, KDOP<S, 24>)
    default:
      return false;
  }
#undef NOLI_FCL_TRIANGLE
}

// Clearance of two geometries: the larger one of the sides of a plane.
template <typename S>
noli_clearance_result clearance_of(const Pair<S> &pair) {
  noli_clearance_result best{};
  best.at_most = -1;
  for (const auto &a : bodies(pair.o1, pair.tf1))
    for (const auto &b : bodies(pair.o2, pair.tf2)) {
      noli_clearance_result found{};
      check(noli_clearance(noli_context{0}, &a, &b, std::numeric_limits<double>::infinity(), &found));
      if (found.at_most >= best.at_most) best = found;
    }
  return best;
}

// Penetration depth of two shapes that overlap, and the points that are that deep.
template <typename S>
bool deepest_points(const Pair<S> &pair, Vector3<S> &p, Vector3<S> &q, S &depth) {
  if (is_flat(pair.o1) || is_flat(pair.o2)) {
    const auto contacts = contacts_of(pair, 1);
    if (contacts.empty()) return false;
    depth = contacts[0].penetration_depth;
    p = contacts[0].pos + contacts[0].normal * (depth / 2);
    q = contacts[0].pos - contacts[0].normal * (depth / 2);
    return true;
  }
  noli_contact_point contact{};
  if (!deepest(pair.o1->placed(pair.tf1), pair.o2->placed(pair.tf2), contact)) return false;
  depth = static_cast<S>(depth_of(contact));
  p = vector_of<S>(contact.on_a);
  q = vector_of<S>(contact.on_b);
  return true;
}

// Distance of two geometries: where they collide, minus the penetration depth if a signed one is requested, else 0 for two
// meshes and -1 with a shape, as FCL does.
template <typename S>
S distance_pair(const Pair<S> &pair, const DistanceRequest<S> &request, DistanceResult<S> &result) {
  const int none = DistanceResult<S>::NONE;
  if (is_flat(pair.o1) && is_flat(pair.o2)) {
    const S d = Flat<S>(pair.o1, pair.tf1).distance(Flat<S>(pair.o2, pair.tf2));
    result.update(d > 0 ? d : S(-1), pair.o1, pair.o2, none, none);
    return result.min_distance;
  }
  const noli_clearance_result found = clearance_of(pair);
  if (found.at_most > 0) {
    result.update(static_cast<S>(distance_of(found)), pair.o1, pair.o2, none, none, vector_of<S>(found.on_a),
                  vector_of<S>(found.on_b));
    return result.min_distance;
  }
  const bool meshes = pair.o1->getObjectType() == OT_BVH && pair.o2->getObjectType() == OT_BVH;
  Vector3<S> p, q;
  S depth = 0;
  const bool wanted = request.enable_signed_distance || request.enable_nearest_points;
  const bool has = !meshes && wanted && deepest_points(pair, p, q, depth);
  const S d = meshes ? S(0) : has && request.enable_signed_distance ? -depth : S(-1);
  if (has)
    result.update(d, pair.o1, pair.o2, none, none, p, q);
  else
    result.update(d, pair.o1, pair.o2, none, none);
  return result.min_distance;
}

}  // namespace detail

// Collision of two geometries at their transforms; returns the number of contacts of the result.
template <typename S>
std::size_t collide(const CollisionGeometry<S> *o1, const Transform3<S> &tf1, const CollisionGeometry<S> *o2,
                    const Transform3<S> &tf2, const CollisionRequest<S> &request, CollisionResult<S> &result) {
  return detail::collide_pair(detail::Pair<S>{o1, o2, tf1, tf2}, request, result);
}
template <typename S>
std::size_t collide(const CollisionObject<S> *o1, const CollisionObject<S> *o2, const CollisionRequest<S> &request,
                    CollisionResult<S> &result) {
  return collide(o1->getCollisionGeometry(), o1->getTransform(), o2->getCollisionGeometry(), o2->getTransform(),
                 request, result);
}

// Distance of two geometries at their transforms; returns the smallest distance of the result.
template <typename S>
S distance(const CollisionGeometry<S> *o1, const Transform3<S> &tf1, const CollisionGeometry<S> *o2,
           const Transform3<S> &tf2, const DistanceRequest<S> &request, DistanceResult<S> &result) {
  return detail::distance_pair(detail::Pair<S>{o1, o2, tf1, tf2}, request, result);
}
template <typename S>
S distance(const CollisionObject<S> *o1, const CollisionObject<S> *o2, const DistanceRequest<S> &request,
           DistanceResult<S> &result) {
  return distance(o1->getCollisionGeometry(), o1->getTransform(), o2->getCollisionGeometry(), o2->getTransform(),
                  request, result);
}

}  // namespace fcl

#endif
