// Meshes: surfaces of triangles, or points.
#ifndef NOLI_FCL_BVH_HPP
#define NOLI_FCL_BVH_HPP

#include "shapes.hpp"

namespace fcl {

enum BVHBuildState {
  BVH_BUILD_STATE_EMPTY, BVH_BUILD_STATE_BEGUN, BVH_BUILD_STATE_PROCESSED, BVH_BUILD_STATE_UPDATE_BEGUN,
  BVH_BUILD_STATE_UPDATED, BVH_BUILD_STATE_REPLACE_BEGUN
};
enum BVHReturnCode {
  BVH_OK = 0, BVH_ERR_MODEL_OUT_OF_MEMORY = -1, BVH_ERR_BUILD_OUT_OF_SEQUENCE = -2,
  BVH_ERR_BUILD_EMPTY_MODEL = -3, BVH_ERR_BUILD_EMPTY_PREVIOUS_FRAME = -4, BVH_ERR_UNSUPPORTED_FUNCTION = -5,
  BVH_ERR_UNUPDATED_MODEL = -6, BVH_ERR_INCORRECT_DATA = -7, BVH_ERR_UNKNOWN = -8
};
enum BVHModelType { BVH_MODEL_UNKNOWN, BVH_MODEL_TRIANGLES, BVH_MODEL_POINTCLOUD };

namespace detail {
enum SplitMethodType { SPLIT_METHOD_MEAN, SPLIT_METHOD_MEDIAN, SPLIT_METHOD_BV_CENTER };
// Accepted and ignored: all trees are built alike.
template <typename BV>
struct BVSplitter {
  explicit BVSplitter(SplitMethodType) {}
};
template <typename BV>
struct BVFitter {};
}  // namespace detail

// A surface of triangles; without triangles, its vertices as points. `BV` selects nothing but the type.
template <typename BV>
class BVHModel : public CollisionGeometry<typename BV::S> {
 public:
  using S = typename BV::S;

  BVHModel() = default;
  BVHModel(const BVHModel &other)
      : CollisionGeometry<S>(other), build_state(other.build_state), points_(other.points_), triangles_(other.triangles_) {
    publish();
  }

  OBJECT_TYPE getObjectType() const override { return OT_BVH; }
  NODE_TYPE getNodeType() const override {
    return static_cast<NODE_TYPE>(BV_AABB + detail::VolumeNumber<BV>::value);
  }
  BVHModelType getModelType() const {
    if (num_tris > 0 && num_vertices > 0) return BVH_MODEL_TRIANGLES;
    return num_vertices > 0 ? BVH_MODEL_POINTCLOUD : BVH_MODEL_UNKNOWN;
  }
  void computeLocalAABB() override {
    AABB<S> box;
    for (const auto &p : points_) box += p;
    this->set_local(box);
    this->aabb_radius = 0;
    for (const auto &p : points_) this->aabb_radius = std::max(this->aabb_radius, (p - this->aabb_center).norm());
  }

  int beginModel(int num_tris_hint = 0, int num_vertices_hint = 0) {
    if (build_state != BVH_BUILD_STATE_EMPTY) {
      points_.clear();
      triangles_.clear();
    }
    points_.reserve(static_cast<std::size_t>(std::max(num_vertices_hint, 0)));
    triangles_.reserve(static_cast<std::size_t>(std::max(num_tris_hint, 0)));
    build_state = BVH_BUILD_STATE_BEGUN;
    publish();
    return BVH_OK;
  }
  int addVertex(const Vector3<S> &p) {
    if (build_state != BVH_BUILD_STATE_BEGUN) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    points_.push_back(p);
    publish();
    return BVH_OK;
  }
  int addTriangle(const Vector3<S> &a, const Vector3<S> &b, const Vector3<S> &c) {
    if (build_state != BVH_BUILD_STATE_BEGUN) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    const std::size_t first = points_.size();
    points_.insert(points_.end(), {a, b, c});
    triangles_.emplace_back(first, first + 1, first + 2);
    publish();
    return BVH_OK;
  }
  int addSubModel(const std::vector<Vector3<S>> &ps) {
    if (build_state != BVH_BUILD_STATE_BEGUN) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    points_.insert(points_.end(), ps.begin(), ps.end());
    publish();
    return BVH_OK;
  }
  int addSubModel(const std::vector<Vector3<S>> &ps, const std::vector<Triangle> &ts) {
    const std::size_t first = points_.size();
    const int added = addSubModel(ps);
    if (added != BVH_OK) return added;
    for (const auto &t : ts) triangles_.emplace_back(t[0] + first, t[1] + first, t[2] + first);
    publish();
    return BVH_OK;
  }
  int endModel() {
    if (build_state != BVH_BUILD_STATE_BEGUN) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    if (points_.empty()) return BVH_ERR_BUILD_EMPTY_MODEL;
    for (const auto &t : triangles_)
      for (int i = 0; i < 3; ++i)
        if (t[i] >= points_.size()) return BVH_ERR_INCORRECT_DATA;
    build_state = BVH_BUILD_STATE_PROCESSED;
    cache_.reset();
    return BVH_OK;
  }

  // New positions of the same vertices, in their order.
  int beginReplaceModel() { return begin_vertices(BVH_BUILD_STATE_REPLACE_BEGUN); }
  int replaceVertex(const Vector3<S> &p) { return next_vertex(BVH_BUILD_STATE_REPLACE_BEGUN, p); }
  int replaceTriangle(const Vector3<S> &a, const Vector3<S> &b, const Vector3<S> &c) {
    replaceVertex(a);
    replaceVertex(b);
    return replaceVertex(c);
  }
  int replaceSubModel(const std::vector<Vector3<S>> &ps) {
    int code = BVH_OK;
    for (const auto &p : ps) code = replaceVertex(p);
    return code;
  }
  int endReplaceModel(bool = true, bool = true) {
    return end_vertices(BVH_BUILD_STATE_REPLACE_BEGUN, BVH_BUILD_STATE_PROCESSED);
  }
  int beginUpdateModel() { return begin_vertices(BVH_BUILD_STATE_UPDATE_BEGUN); }
  int updateVertex(const Vector3<S> &p) { return next_vertex(BVH_BUILD_STATE_UPDATE_BEGUN, p); }
  int updateTriangle(const Vector3<S> &a, const Vector3<S> &b, const Vector3<S> &c) {
    updateVertex(a);
    updateVertex(b);
    return updateVertex(c);
  }
  int updateSubModel(const std::vector<Vector3<S>> &ps) {
    int code = BVH_OK;
    for (const auto &p : ps) code = updateVertex(p);
    return code;
  }
  int endUpdateModel(bool = true, bool = true) {
    return end_vertices(BVH_BUILD_STATE_UPDATE_BEGUN, BVH_BUILD_STATE_UPDATED);
  }

  S computeVolume() const override {
    S sum = 0;
    for (const auto &t : triangles_) sum += points_[t[0]].cross(points_[t[1]]).dot(points_[t[2]]);
    return sum / 6;
  }
  Vector3<S> computeCOM() const override {
    Vector3<S> sum = Vector3<S>::Zero();
    S volume = 0;
    for (const auto &t : triangles_) {
      const Vector3<S> &a = points_[t[0]], &b = points_[t[1]], &c = points_[t[2]];
      const S six = a.cross(b).dot(c);
      volume += six;
      sum += (a + b + c) * six;
    }
    return sum / (4 * volume);
  }

  const detail::CachedModel::Entry &entry() const override {
    return cache_.get({}, [&] {
      std::vector<double> vertices;
      vertices.reserve(3 * points_.size());
      for (const auto &p : points_) vertices.insert(vertices.end(), {p[0], p[1], p[2]});
      std::vector<uint32_t> numbers;
      for (const auto &t : triangles_)
        for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<uint32_t>(t[i]));
      // Points are triangles without area.
      if (triangles_.empty())
        for (std::size_t i = 0; i < points_.size(); ++i) numbers.insert(numbers.end(), 3, static_cast<uint32_t>(i));
      return ::noli::Model::mesh(vertices, numbers, false);
    });
  }

  Vector3<S> *vertices = nullptr;
  Triangle *tri_indices = nullptr;
  int num_tris = 0;
  int num_vertices = 0;
  BVHBuildState build_state = BVH_BUILD_STATE_EMPTY;
  mutable std::shared_ptr<detail::BVSplitter<BV>> bv_splitter;
  mutable std::shared_ptr<detail::BVFitter<BV>> bv_fitter;

 private:
  void publish() {
    vertices = points_.data();
    tri_indices = triangles_.data();
    num_vertices = static_cast<int>(points_.size());
    num_tris = static_cast<int>(triangles_.size());
  }
  int begin_vertices(BVHBuildState begun) {
    if (build_state == BVH_BUILD_STATE_EMPTY) return BVH_ERR_BUILD_EMPTY_PREVIOUS_FRAME;
    build_state = begun;
    replaced_ = 0;
    return BVH_OK;
  }
  int next_vertex(BVHBuildState begun, const Vector3<S> &p) {
    if (build_state != begun) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    if (replaced_ >= points_.size()) return BVH_ERR_INCORRECT_DATA;
    points_[replaced_++] = p;
    return BVH_OK;
  }
  int end_vertices(BVHBuildState begun, BVHBuildState ended) {
    if (build_state != begun) return BVH_ERR_BUILD_OUT_OF_SEQUENCE;
    if (replaced_ != points_.size()) return BVH_ERR_INCORRECT_DATA;
    build_state = ended;
    cache_.reset();
    return BVH_OK;
  }

  std::vector<Vector3<S>> points_;
  std::vector<Triangle> triangles_;
  std::size_t replaced_ = 0;
  detail::CachedModel cache_;
};

}  // namespace fcl

#endif
