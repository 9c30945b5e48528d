// Names of `fcl::detail` that programs call directly: solvers of two shapes, and traversals of two meshes.
#ifndef NOLI_FCL_SOLVERS_HPP
#define NOLI_FCL_SOLVERS_HPP

#include "managers.hpp"

namespace fcl {
namespace detail {

// Queries of two shapes. Both solvers of FCL are this one.
template <typename S_>
struct Solver {
  using S = S_;
  unsigned int max_collision_iterations = 500;
  unsigned int max_distance_iterations = 1000;
  S collision_tolerance = 1e-6;
  S distance_tolerance = 1e-6;
  S gjk_tolerance = 1e-6;
  S epa_tolerance = 1e-6;

  template <typename Shape1, typename Shape2>
  bool shapeIntersect(const Shape1 &s1, const Transform3<S> &tf1, const Shape2 &s2, const Transform3<S> &tf2,
                      std::vector<ContactPoint<S>> *contacts = nullptr) const {
    const Pair<S> pair{&s1, &s2, tf1, tf2};
    if (!contacts) return shares_point(pair);
    *contacts = contacts_of(pair, std::numeric_limits<std::size_t>::max());
    return !contacts->empty();
  }
  template <typename Shape1, typename Shape2>
  bool shapeIntersect(const Shape1 &s1, const Transform3<S> &tf1, const Shape2 &s2, const Transform3<S> &tf2,
                      Vector3<S> *contact, S *depth, Vector3<S> *normal) const {
    const auto found = contacts_of(Pair<S>{&s1, &s2, tf1, tf2}, 1);
    if (found.empty()) return false;
    take(found[0], contact, depth, normal);
    return true;
  }
  template <typename Shape>
  bool shapeTriangleIntersect(const Shape &s, const Transform3<S> &tf, const Vector3<S> &p1, const Vector3<S> &p2,
                              const Vector3<S> &p3, Vector3<S> *contact = nullptr, S *depth = nullptr,
                              Vector3<S> *normal = nullptr) const {
    return shapeTriangleIntersect(s, tf, p1, p2, p3, Transform3<S>(Transform3<S>::Identity()), contact, depth, normal);
  }
  template <typename Shape>
  bool shapeTriangleIntersect(const Shape &s, const Transform3<S> &tf1, const Vector3<S> &p1, const Vector3<S> &p2,
                              const Vector3<S> &p3, const Transform3<S> &tf2, Vector3<S> *contact = nullptr,
                              S *depth = nullptr, Vector3<S> *normal = nullptr) const {
    const TriangleP<S> triangle(p1, p2, p3);
    const Pair<S> pair{&s, &triangle, tf1, tf2};
    if (!contact && !depth && !normal) return shares_point(pair);
    const auto found = contacts_of(pair, 1);
    if (found.empty()) return false;
    take(found[0], contact, depth, normal);
    return true;
  }
  // Distance and nearest points; false and -1 if the shapes collide.
  template <typename Shape1, typename Shape2>
  bool shapeDistance(const Shape1 &s1, const Transform3<S> &tf1, const Shape2 &s2, const Transform3<S> &tf2,
                     S *dist = nullptr, Vector3<S> *p1 = nullptr, Vector3<S> *p2 = nullptr) const {
    return measured(Pair<S>{&s1, &s2, tf1, tf2}, false, dist, p1, p2);
  }
  // Distance, negative by the penetration depth if the shapes collide.
  template <typename Shape1, typename Shape2>
  bool shapeSignedDistance(const Shape1 &s1, const Transform3<S> &tf1, const Shape2 &s2, const Transform3<S> &tf2,
                           S *dist = nullptr, Vector3<S> *p1 = nullptr, Vector3<S> *p2 = nullptr) const {
    return measured(Pair<S>{&s1, &s2, tf1, tf2}, true, dist, p1, p2);
  }
  template <typename Shape>
  bool shapeTriangleDistance(const Shape &s, const Transform3<S> &tf, const Vector3<S> &a, const Vector3<S> &b,
                             const Vector3<S> &c, S *dist = nullptr, Vector3<S> *p1 = nullptr,
                             Vector3<S> *p2 = nullptr) const {
    return shapeTriangleDistance(s, tf, a, b, c, Transform3<S>(Transform3<S>::Identity()), dist, p1, p2);
  }
  template <typename Shape>
  bool shapeTriangleDistance(const Shape &s, const Transform3<S> &tf1, const Vector3<S> &a, const Vector3<S> &b,
                             const Vector3<S> &c, const Transform3<S> &tf2, S *dist = nullptr, Vector3<S> *p1 = nullptr,
                             Vector3<S> *p2 = nullptr) const {
    const TriangleP<S> triangle(a, b, c);
    return measured(Pair<S>{&s, &triangle, tf1, tf2}, false, dist, p1, p2);
  }
  void enableCachedGuess(bool) const {}
  void setCachedGuess(const Vector3<S> &) const {}
  Vector3<S> getCachedGuess() const { return Vector3<S>::UnitX(); }

 private:
  static void take(const ContactPoint<S> &found, Vector3<S> *contact, S *depth, Vector3<S> *normal) {
    if (contact) *contact = found.pos;
    if (depth) *depth = found.penetration_depth;
    if (normal) *normal = found.normal;
  }
  static bool measured(const Pair<S> &pair, bool is_signed, S *dist, Vector3<S> *p1, Vector3<S> *p2) {
    DistanceResult<S> result;
    const S found = distance_pair(pair, DistanceRequest<S>(true, is_signed), result);
    if (dist) *dist = found;
    if (p1) *p1 = result.nearest_points[0];
    if (p2) *p2 = result.nearest_points[1];
    return found > 0;
  }
};
template <typename S> struct GJKSolver_libccd : Solver<S> {};
template <typename S> struct GJKSolver_indep : Solver<S> {};

// A shape at a transform, as the functions of libccd are given it.
struct GJKObject {
  noli_placed placed;
  virtual ~GJKObject() {}
};
template <typename S, typename Shape>
struct GJKInitializer {
  struct Object : GJKObject {
    explicit Object(const Shape &shape_) : shape(shape_) {}
    Shape shape;
  };
  static void *createGJKObject(const Shape &shape, const Transform3<S> &tf) {
    auto *object = new Object(shape);
    object->placed = object->shape.placed(tf);
    return static_cast<GJKObject *>(object);
  }
  static void deleteGJKObject(void *object) { delete static_cast<GJKObject *>(object); }
  static void *getSupportFunction() { return nullptr; }
  static void *getCenterFunction() { return nullptr; }
};

// Distance of two such shapes; false and -1 if they collide.
template <typename S>
bool GJKDistance(void *obj1, void *, void *obj2, void *, unsigned int, S, S *dist, Vector3<S> *p1, Vector3<S> *p2) {
  const noli_placed &a = static_cast<GJKObject *>(obj1)->placed, &b = static_cast<GJKObject *>(obj2)->placed;
  noli_clearance_result found{};
  check(noli_clearance(noli_context{0}, &a, &b, std::numeric_limits<double>::infinity(), &found));
  if (dist) *dist = found.at_most > 0 ? static_cast<S>(distance_of(found)) : S(-1);
  if (p1) *p1 = vector_of<S>(found.on_a);
  if (p2) *p2 = vector_of<S>(found.on_b);
  return found.at_most > 0;
}

// Nearest points of two segments, p0 q0 and p1 q1, with their parameters; returns the squared distance (Ericson 2005, 5.1.9).
template <typename S>
S closestPtSegmentSegment(const Vector3<S> &p0, const Vector3<S> &q0, const Vector3<S> &p1, const Vector3<S> &q1, S *s,
                          S *t, Vector3<S> *n0, Vector3<S> *n1) {
  const auto unit = [](S x) { return std::min(std::max(x, S(0)), S(1)); };
  const Vector3<S> d0 = q0 - p0, d1 = q1 - p1, r = p0 - p1;
  const S a = d0.squaredNorm(), e = d1.squaredNorm(), f = d1.dot(r), tiny = constants<S>::eps_78() * constants<S>::eps_78();
  *s = *t = 0;
  if (a <= tiny && e > tiny) *t = unit(f / e);
  if (a > tiny) {
    const S c = d0.dot(r);
    if (e <= tiny) {
      *s = unit(-c / a);
    } else {
      const S b = d0.dot(d1), denominator = std::max(S(0), a * e - b * b);
      *s = denominator > constants<S>::eps_78() * a * e ? unit((b * f - c * e) / denominator) : S(0);
      *t = (b * *s + f) / e;
      if (*t < 0) *s = unit(-c / a);
      if (*t > 1) *s = unit((b - c) / a);
      *t = unit(*t);
    }
  }
  *n0 = p0 + d0 * *s;
  *n1 = p1 + d1 * *t;
  return (*n0 - *n1).squaredNorm();
}

// Signed distance of two capsules, by their segments; true if they are separated.
template <typename S>
bool capsuleCapsuleDistance(const Capsule<S> &s1, const Transform3<S> &tf1, const Capsule<S> &s2,
                            const Transform3<S> &tf2, S *dist, Vector3<S> *p1, Vector3<S> *p2) {
  const Vector3<S> half1(0, 0, s1.lz / 2), half2(0, 0, s2.lz / 2);
  S s, t;
  Vector3<S> n1, n2;
  const S squared = closestPtSegmentSegment<S>(tf1 * half1, tf1 * Vector3<S>(-half1), tf2 * half2, tf2 * Vector3<S>(-half2),
                                               &s, &t, &n1, &n2);
  const S apart = std::sqrt(squared), found = apart - s1.radius - s2.radius;
  if (dist) *dist = found;
  // Segments that intersect leave the direction open: across the first and, where that is possible, the second.
  Vector3<S> direction = (n2 - n1) / apart;
  if (!(apart > constants<S>::eps_78())) {
    direction = tf1.linear().col(2).cross(tf2.linear().col(2));
    direction = direction.norm() > constants<S>::eps_78() ? Vector3<S>(direction.normalized()) : Vector3<S>(tf1.linear().col(0));
  }
  if (p1) *p1 = n1 + direction * s1.radius;
  if (p2) *p2 = n2 - direction * s2.radius;
  return found > 0;
}

// A traversal of two meshes: what `initialize` was given.
template <typename S>
struct MeshTraversal {
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
  const CollisionGeometry<S> *model1 = nullptr, *model2 = nullptr;
  Transform3<S> tf1 = Transform3<S>::Identity(), tf2 = Transform3<S>::Identity();
  bool enable_statistics = false;
  int num_bv_tests = 0, num_leaf_tests = 0;
  void set(const CollisionGeometry<S> &m1, const Transform3<S> &t1, const CollisionGeometry<S> &m2,
           const Transform3<S> &t2) {
    model1 = &m1, model2 = &m2, tf1 = t1, tf2 = t2;
  }
};
template <typename S>
struct CollisionTraversalNodeBase : MeshTraversal<S> {
  CollisionRequest<S> request;
  CollisionResult<S> *result = nullptr;
};
template <typename S>
struct DistanceTraversalNodeBase : MeshTraversal<S> {
  DistanceRequest<S> request;
  DistanceResult<S> *result = nullptr;
};
template <typename BV> struct MeshCollisionTraversalNode : CollisionTraversalNodeBase<typename BV::S> {};
template <typename S> struct MeshCollisionTraversalNodeOBB : CollisionTraversalNodeBase<S> {};
template <typename S> struct MeshCollisionTraversalNodeRSS : CollisionTraversalNodeBase<S> {};
template <typename S> struct MeshCollisionTraversalNodekIOS : CollisionTraversalNodeBase<S> {};
template <typename S> struct MeshCollisionTraversalNodeOBBRSS : CollisionTraversalNodeBase<S> {};
template <typename BV> struct MeshDistanceTraversalNode : DistanceTraversalNodeBase<typename BV::S> {};
template <typename S> struct MeshDistanceTraversalNodeRSS : DistanceTraversalNodeBase<S> {};
template <typename S> struct MeshDistanceTraversalNodekIOS : DistanceTraversalNodeBase<S> {};
template <typename S> struct MeshDistanceTraversalNodeOBBRSS : DistanceTraversalNodeBase<S> {};

template <typename BV>
bool initialize(CollisionTraversalNodeBase<typename BV::S> &node, const BVHModel<BV> &m1,
                const Transform3<typename BV::S> &tf1, const BVHModel<BV> &m2, const Transform3<typename BV::S> &tf2,
                const CollisionRequest<typename BV::S> &request, CollisionResult<typename BV::S> &result) {
  node.set(m1, tf1, m2, tf2);
  node.request = request;
  node.result = &result;
  return m1.num_tris > 0 && m2.num_tris > 0;
}
template <typename BV>
bool initialize(DistanceTraversalNodeBase<typename BV::S> &node, const BVHModel<BV> &m1,
                const Transform3<typename BV::S> &tf1, const BVHModel<BV> &m2, const Transform3<typename BV::S> &tf2,
                const DistanceRequest<typename BV::S> &request, DistanceResult<typename BV::S> &result) {
  node.set(m1, tf1, m2, tf2);
  node.request = request;
  node.result = &result;
  return m1.num_tris > 0 && m2.num_tris > 0;
}
template <typename S>
void collide(CollisionTraversalNodeBase<S> *node) {
  collide_pair(Pair<S>{node->model1, node->model2, node->tf1, node->tf2}, node->request, *node->result);
}
template <typename S>
void distance(DistanceTraversalNodeBase<S> *node, void * = nullptr, int = 2) {
  distance_pair(Pair<S>{node->model1, node->model2, node->tf1, node->tf2}, node->request, *node->result);
}

}  // namespace detail
}  // namespace fcl

#endif
