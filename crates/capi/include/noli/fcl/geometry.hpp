// Geometry without a place: the base class of shapes and meshes, with the model that answers its queries.
#ifndef NOLI_FCL_GEOMETRY_HPP
#define NOLI_FCL_GEOMETRY_HPP

#include <atomic>
#include <mutex>

#include "volumes.hpp"

namespace fcl {

enum OBJECT_TYPE { OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_COUNT };

enum NODE_TYPE {
  BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24,
  GEOM_BOX, GEOM_SPHERE, GEOM_ELLIPSOID, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER, GEOM_CONVEX, GEOM_PLANE,
  GEOM_HALFSPACE, GEOM_TRIANGLE, GEOM_OCTREE, NODE_COUNT
};

namespace detail {

// The model of a geometry, made on first use and again after its numbers changed. Copies begin without one.
class CachedModel {
 public:
  static const std::size_t kNumbers = 9;
  using Numbers = std::array<double, kNumbers>;

  CachedModel() = default;
  CachedModel(const CachedModel &) {}
  CachedModel &operator=(const CachedModel &) {
    reset();
    return *this;
  }

  // A model and the box around it in its frame.
  struct Entry {
    noli_model model;
    Vector3<double> center, half;
  };

  template <typename Make>
  const Entry &get(const Numbers &numbers, Make make) const {
    if (ready_.load(std::memory_order_acquire) && numbers == numbers_) return entry_;
    std::lock_guard<std::mutex> lock(mutex_);
    if (!ready_.load(std::memory_order_relaxed) || numbers != numbers_) {
      model_ = make();
      numbers_ = numbers;
      const noli_bounds box = model_.bounds();
      const Eigen::Map<const Vector3<double>> low(box.min), high(box.max);
      entry_ = Entry{model_.handle(), (low + high) / 2, (high - low) / 2};
      ready_.store(true, std::memory_order_release);
    }
    return entry_;
  }
  void reset() {
    std::lock_guard<std::mutex> lock(mutex_);
    ready_.store(false, std::memory_order_release);
    model_.reset();
  }

 private:
  mutable std::atomic<bool> ready_{false};
  mutable std::mutex mutex_;
  mutable ::noli::Model model_;
  mutable Entry entry_{};
  mutable Numbers numbers_{};
};

}  // namespace detail

// Geometry without a place.
template <typename S_>
class CollisionGeometry {
 public:
  using S = S_;
  virtual ~CollisionGeometry() {}

  virtual OBJECT_TYPE getObjectType() const { return OT_UNKNOWN; }
  virtual NODE_TYPE getNodeType() const { return BV_UNKNOWN; }
  virtual void computeLocalAABB() = 0;
  // The model that answers queries, with its box; the box of half-spaces and planes is not finite.
  virtual const detail::CachedModel::Entry &entry() const = 0;
  noli_model model() const { return entry().model; }
  // The model at a transform of the geometry.
  virtual noli_placed placed(const Transform3<S> &tf) const { return {model(), detail::pose_of(tf)}; }

  void *getUserData() const { return user_data; }
  void setUserData(void *data) { user_data = data; }
  bool isOccupied() const { return cost_density >= threshold_occupied; }
  bool isFree() const { return cost_density <= threshold_free; }
  bool isUncertain() const { return !isOccupied() && !isFree(); }

  virtual S computeVolume() const { return 0; }
  virtual Vector3<S> computeCOM() const { return Vector3<S>::Zero(); }
  // Inertia about the origin, at density 1.
  virtual Matrix3<S> computeMomentofInertia() const { return Matrix3<S>::Zero(); }
  // Inertia about the centre of mass.
  virtual Matrix3<S> computeMomentofInertiaRelatedToCOM() const {
    const Vector3<S> c = computeCOM();
    return computeMomentofInertia() -
           computeVolume() * (c.squaredNorm() * Matrix3<S>::Identity() - c * c.transpose());
  }

  Vector3<S> aabb_center = Vector3<S>::Zero();
  S aabb_radius = 0;
  AABB<S> aabb_local;
  void *user_data = nullptr;
  S cost_density = 1;
  S threshold_occupied = 1;
  S threshold_free = 0;

 protected:
  void set_local(const AABB<S> &box) {
    aabb_local = box;
    aabb_center = box.center();
    aabb_radius = (box.min_ - aabb_center).norm();
  }
};

using CollisionGeometryf = CollisionGeometry<float>;
using CollisionGeometryd = CollisionGeometry<double>;

}  // namespace fcl

#endif
