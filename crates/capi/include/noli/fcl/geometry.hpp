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

  template <typename Make>
  noli_model get(const Numbers &numbers, Make make) const {
    const std::uint64_t id = id_.load(std::memory_order_acquire);
    if (id != 0 && numbers == numbers_) return noli_model{id};
    std::lock_guard<std::mutex> lock(mutex_);
    if (id_.load(std::memory_order_relaxed) == 0 || numbers != numbers_) {
      model_ = make();
      numbers_ = numbers;
      id_.store(model_.handle().id, std::memory_order_release);
    }
    return model_.handle();
  }
  void reset() {
    std::lock_guard<std::mutex> lock(mutex_);
    id_.store(0, std::memory_order_release);
    model_.reset();
  }

 private:
  mutable std::atomic<std::uint64_t> id_{0};
  mutable std::mutex mutex_;
  mutable ::noli::Model model_;
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
  // Handle of the model that answers queries.
  virtual noli_model model() const = 0;
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
  Matrix3<S> computeMomentofInertiaRelatedToCOM() const {
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
