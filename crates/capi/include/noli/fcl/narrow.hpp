// Collision and distance of two objects at rest.
#ifndef NOLI_FCL_NARROW_HPP
#define NOLI_FCL_NARROW_HPP

#include "requests.hpp"

namespace fcl {
namespace detail {

template <typename S>
struct Pair {
  const CollisionGeometry<S> *o1, *o2;
  const Transform3<S> &tf1, &tf2;
};

inline void check(noli_status status) { ::noli::detail::check(status); }

// A geometry at a transform as bodies of which a common point of all with another body is one with the geometry: a plane is
// the border of two half-spaces, and a connected body meets it where it meets both.
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

// Half-spaces and planes against each other: n·x <= d, or = d.
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
  // Signed distance of two parallel ones, or nothing finite if they intersect in a line.
  S distance(const Flat &o) const {
    const S cosine = n.dot(o.n);
    if (std::abs(cosine) < S(1) - std::numeric_limits<S>::epsilon() * 4) return -std::numeric_limits<S>::infinity();
    const S offset = cosine > 0 ? d - o.d : -d - o.d;
    if (plane && o.plane) return std::abs(offset);
    if (cosine < 0 || plane) return offset;
    return o.plane ? -offset : -std::numeric_limits<S>::infinity();
  }
};

template <typename S>
bool shares_point(const Pair<S> &pair) {
  if (is_flat(pair.o1) && is_flat(pair.o2)) return !(Flat<S>(pair.o1, pair.tf1).distance(Flat<S>(pair.o2, pair.tf2)) > 0);
  for (const auto &a : bodies(pair.o1, pair.tf1))
    for (const auto &b : bodies(pair.o2, pair.tf2))
      if (!overlap(a, b)) return false;
  return true;
}

template <typename S>
ContactPoint<S> point_of(const noli_contact_point &c) {
  const Vector3<S> a = vector_of<S>(c.on_a), b = vector_of<S>(c.on_b);
  return ContactPoint<S>(vector_of<S>(c.normal), (a + b) / 2, static_cast<S>(c.depth_at_most));
}

// The deepest contact of two bodies.
inline bool deepest(const noli_placed &a, const noli_placed &b, noli_contact_point &out) {
  noli_verdict verdict = NOLI_UNKNOWN;
  check(noli_contact(noli_context{0}, &a, &b, &verdict, &out));
  return verdict == NOLI_COLLIDING;
}

// Contacts of two shapes: several for two boxes, else the deepest. Empty if they are separated.
template <typename S>
std::vector<ContactPoint<S>> contacts_of(const Pair<S> &pair, std::size_t most) {
  std::vector<ContactPoint<S>> points;
  if (!shares_point(pair)) return points;
  if (is_flat(pair.o1) && is_flat(pair.o2)) {
    points.emplace_back();
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
  for (const auto &a : bodies(pair.o1, pair.tf1))
    for (const auto &b : bodies(pair.o2, pair.tf2)) {
      noli_clearance_result found{};
      check(noli_clearance(noli_context{0}, &a, &b, std::numeric_limits<double>::infinity(), &found));
      if (found.at_most >= best.at_most) best = found;
    }
  return best;
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
    result.update(static_cast<S>(found.at_most), pair.o1, pair.o2, none, none, vector_of<S>(found.on_a),
                  vector_of<S>(found.on_b));
    return result.min_distance;
  }
  const bool meshes = pair.o1->getObjectType() == OT_BVH && pair.o2->getObjectType() == OT_BVH;
  noli_contact_point contact{};
  const bool wanted = request.enable_signed_distance || request.enable_nearest_points;
  const bool has = !meshes && wanted && deepest(bodies(pair.o1, pair.tf1)[0], bodies(pair.o2, pair.tf2)[0], contact);
  S d = meshes ? S(0) : S(-1);
  if (has && request.enable_signed_distance) d = -static_cast<S>(contact.depth_at_most);
  if (has)
    result.update(d, pair.o1, pair.o2, none, none, vector_of<S>(contact.on_a), vector_of<S>(contact.on_b));
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
  return collide(o1->collisionGeometry().get(), o1->getTransform(), o2->collisionGeometry().get(), o2->getTransform(),
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
  return distance(o1->collisionGeometry().get(), o1->getTransform(), o2->collisionGeometry().get(), o2->getTransform(),
                  request, result);
}

}  // namespace fcl

#endif
