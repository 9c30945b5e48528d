// Volumes of shapes, and meshes of shapes.
#ifndef NOLI_FCL_VOLUMES_OF_HPP
#define NOLI_FCL_VOLUMES_OF_HPP

#include "bvh.hpp"
#include "convex.hpp"

namespace fcl {

template <typename S>
void convertBV(const AABB<S> &box, const Transform3<S> &tf, AABB<S> &out) {
  const Vector3<S> c = tf * box.center();
  const Vector3<S> half = tf.linear().cwiseAbs() * ((box.max_ - box.min_) / 2);
  out.min_ = c - half;
  out.max_ = c + half;
}

template <typename S>
void convertBV(const AABB<S> &box, const Transform3<S> &tf, OBB<S> &out) {
  out.To = tf * box.center();
  out.extent = (box.max_ - box.min_) / 2;
  out.axis = tf.linear();
}

template <typename S>
void constructBox(const AABB<S> &bv, Box<S> &box, Transform3<S> &tf) {
  constructBox(bv, Transform3<S>(Transform3<S>::Identity()), box, tf);
}

template <typename S>
void constructBox(const AABB<S> &bv, const Transform3<S> &tf_bv, Box<S> &box, Transform3<S> &tf) {
  box = Box<S>(Vector3<S>(bv.max_ - bv.min_));
  tf = tf_bv * Translation3<S>(bv.center());
}

template <typename S>
void constructBox(const OBB<S> &bv, Box<S> &box, Transform3<S> &tf) {
  box = Box<S>(Vector3<S>(bv.extent * 2));
  tf.setIdentity();
  tf.linear() = bv.axis;
  tf.translation() = bv.To;
}

// A volume around a shape at a transform.
template <typename Shape, typename BV>
void computeBV(const Shape &shape, const Transform3<typename BV::S> &tf, BV &bv) {
  Shape local(shape);
  local.computeLocalAABB();
  convertBV(local.aabb_local, tf, bv);
}
template <typename BV, typename Shape>
void computeBV(const Shape &shape, BV &bv) {
  computeBV(shape, Transform3<typename BV::S>(Transform3<typename BV::S>::Identity()), bv);
}

// End the model after the shape was added, or leave it open for others.
enum class FinalizeModel { DO, DONT };

namespace detail {
template <typename BV>
int add_mesh(BVHModel<BV> &model, const std::vector<Vector3<typename BV::S>> &points,
             const std::vector<Triangle> &triangles, FinalizeModel finalize) {
  if (model.build_state == BVH_BUILD_STATE_PROCESSED || model.build_state == BVH_BUILD_STATE_UPDATED)
    return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
  int code = BVH_OK;
  if (model.build_state == BVH_BUILD_STATE_EMPTY) code = model.beginModel();
  if (code == BVH_OK) code = model.addSubModel(points, triangles);
  if (code == BVH_OK && finalize == FinalizeModel::DO) {
    code = model.endModel();
    model.computeLocalAABB();
  }
  return code;
}

// Surface of revolution: rings of points between two poles on the axis. Faces are counter-clockwise from outside.
template <typename BV>
int add_revolved(BVHModel<BV> &model, const std::vector<std::vector<Vector3<typename BV::S>>> &rings,
                 const Vector3<typename BV::S> &top, const Vector3<typename BV::S> &bottom,
                 const Transform3<typename BV::S> &pose, FinalizeModel finalize) {
  std::vector<Vector3<typename BV::S>> points;
  std::vector<Triangle> triangles;
  const std::size_t count = rings.empty() ? 0 : rings[0].size();
  for (const auto &ring : rings)
    for (const auto &p : ring) points.push_back(pose * p);
  const std::size_t north = points.size(), south = north + 1;
  points.push_back(pose * top);
  points.push_back(pose * bottom);
  const std::size_t last = (rings.size() - 1) * count;
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t next = (j + 1) % count;
    triangles.emplace_back(north, j, next);
    triangles.emplace_back(south, last + next, last + j);
    for (std::size_t i = 0; i + 1 < rings.size(); ++i) {
      const std::size_t a = i * count + j, b = i * count + next, c = a + count, d = b + count;
      triangles.emplace_back(a, c, b);
      triangles.emplace_back(b, c, d);
    }
  }
  return add_mesh(model, points, triangles, finalize);
}

template <typename S>
std::vector<Vector3<S>> ring(S rx, S ry, S z, unsigned int count) {
  std::vector<Vector3<S>> points;
  for (unsigned int j = 0; j < count; ++j) {
    const S angle = 2 * constants<S>::pi() * static_cast<S>(j) / static_cast<S>(count);
    points.emplace_back(rx * std::cos(angle), ry * std::sin(angle), z);
  }
  return points;
}
}  // namespace detail

template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Box<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     FinalizeModel finalize = FinalizeModel::DO) {
  using S = typename BV::S;
  const S a = shape.side[0] / 2, b = shape.side[1] / 2, c = shape.side[2] / 2;
  std::vector<Vector3<S>> points{{a, -b, c}, {a, b, c}, {-a, b, c}, {-a, -b, c}, {a, -b, -c}, {a, b, -c}, {-a, b, -c}, {-a, -b, -c}};
  for (auto &p : points) p = pose * p;
  const std::vector<Triangle> triangles{{0, 4, 1}, {1, 4, 5}, {2, 6, 3}, {3, 6, 7}, {3, 0, 2}, {2, 0, 1},
                                        {6, 5, 7}, {7, 5, 4}, {1, 5, 2}, {2, 5, 6}, {3, 7, 0}, {0, 7, 4}};
  return detail::add_mesh(model, points, triangles, finalize);
}

template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Ellipsoid<typename BV::S> &shape,
                     const Transform3<typename BV::S> &pose, unsigned int seg, unsigned int ring,
                     FinalizeModel finalize = FinalizeModel::DO) {
  using S = typename BV::S;
  const Vector3<S> &r = shape.radii;
  std::vector<std::vector<Vector3<S>>> rings;
  for (unsigned int i = 0; i < ring; ++i) {
    const S polar = constants<S>::pi() * static_cast<S>(i + 1) / static_cast<S>(ring + 1);
    rings.push_back(detail::ring(r[0] * std::sin(polar), r[1] * std::sin(polar), r[2] * std::cos(polar), seg));
  }
  return detail::add_revolved(model, rings, Vector3<S>(0, 0, r[2]), Vector3<S>(0, 0, -r[2]), pose, finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Ellipsoid<typename BV::S> &shape,
                     const Transform3<typename BV::S> &pose, unsigned int n_faces_for_unit_ellipsoid,
                     FinalizeModel finalize = FinalizeModel::DO) {
  using S = typename BV::S;
  const S size = std::pow(shape.radii.prod(), S(2) / 3);
  const unsigned int ring = static_cast<unsigned int>(std::ceil(std::sqrt(n_faces_for_unit_ellipsoid * size / 4)));
  const unsigned int rings = std::max(ring, 2u);
  return generateBVHModel(model, shape, pose, 2 * rings, rings, finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Sphere<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int seg, unsigned int ring, FinalizeModel finalize = FinalizeModel::DO) {
  return generateBVHModel(model, Ellipsoid<typename BV::S>(shape.radius, shape.radius, shape.radius), pose, seg, ring, finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Sphere<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int n_faces_for_unit_sphere, FinalizeModel finalize = FinalizeModel::DO) {
  return generateBVHModel(model, Ellipsoid<typename BV::S>(shape.radius, shape.radius, shape.radius), pose,
                          n_faces_for_unit_sphere, finalize);
}

namespace detail {
// A cylinder, or with `tip` a cone, of `circle` points a ring and `parts` parts along its height.
template <typename BV>
int add_cylinder(BVHModel<BV> &model, typename BV::S radius, typename BV::S lz, bool tip,
                 const Transform3<typename BV::S> &pose, std::array<unsigned int, 2> counts, FinalizeModel finalize) {
  using S = typename BV::S;
  const unsigned int circle = std::max(counts[0], 3u), parts = std::max(counts[1], 1u);
  std::vector<std::vector<Vector3<S>>> rings;
  for (unsigned int i = tip ? 1 : 0; i <= parts; ++i) {
    const S share = static_cast<S>(i) / static_cast<S>(parts);
    const S r = tip ? radius * share : radius;
    rings.push_back(detail::ring(r, r, lz / 2 - lz * share, circle));
  }
  return add_revolved(model, rings, Vector3<S>(0, 0, lz / 2), Vector3<S>(0, 0, -lz / 2), pose, finalize);
}
template <typename S>
std::array<unsigned int, 2> cylinder_counts(S radius, S lz, unsigned int circle_for_unit) {
  const unsigned int circle = static_cast<unsigned int>(circle_for_unit * radius);
  const S step = 2 * constants<S>::pi() / static_cast<S>(std::max(circle, 3u));
  return {{circle, static_cast<unsigned int>(std::ceil(lz / step))}};
}
}  // namespace detail

template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Cylinder<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int circle_split, unsigned int height_split, FinalizeModel finalize = FinalizeModel::DO) {
  return detail::add_cylinder(model, shape.radius, shape.lz, false, pose, {{circle_split, height_split}}, finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Cylinder<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int circle_split_for_unit, FinalizeModel finalize = FinalizeModel::DO) {
  return detail::add_cylinder(model, shape.radius, shape.lz, false, pose,
                              detail::cylinder_counts(shape.radius, shape.lz, circle_split_for_unit), finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Cone<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int circle_split, unsigned int height_split, FinalizeModel finalize = FinalizeModel::DO) {
  return detail::add_cylinder(model, shape.radius, shape.lz, true, pose, {{circle_split, height_split}}, finalize);
}
template <typename BV>
int generateBVHModel(BVHModel<BV> &model, const Cone<typename BV::S> &shape, const Transform3<typename BV::S> &pose,
                     unsigned int circle_split_for_unit, FinalizeModel finalize = FinalizeModel::DO) {
  return detail::add_cylinder(model, shape.radius, shape.lz, true, pose,
                              detail::cylinder_counts(shape.radius, shape.lz, circle_split_for_unit), finalize);
}

}  // namespace fcl

#endif
