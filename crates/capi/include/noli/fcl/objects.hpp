// Geometry at a place.
#ifndef NOLI_FCL_OBJECTS_HPP
#define NOLI_FCL_OBJECTS_HPP

#include "volumes_of.hpp"

namespace fcl {

// A geometry at a transform, with the box around it there.
template <typename S_>
class CollisionObject {
 public:
  using S = S_;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  explicit CollisionObject(const std::shared_ptr<CollisionGeometry<S>> &geometry)
      : CollisionObject(geometry, Transform3<S>::Identity()) {}
  CollisionObject(const std::shared_ptr<CollisionGeometry<S>> &geometry, const Transform3<S> &tf)
      : geometry_(geometry), tf_(tf) {
    if (!geometry_) return;
    geometry_->computeLocalAABB();
    computeAABB();
  }
  CollisionObject(const std::shared_ptr<CollisionGeometry<S>> &geometry, const Matrix3<S> &R, const Vector3<S> &T)
      : CollisionObject(geometry, transform(R, T)) {}

  OBJECT_TYPE getObjectType() const { return geometry_->getObjectType(); }
  NODE_TYPE getNodeType() const { return geometry_->getNodeType(); }
  const AABB<S> &getAABB() const { return aabb_; }
  // Update the box after the transform changed.
  void computeAABB() {
    const AABB<S> &local = geometry_->aabb_local;
    if (is_finite(local)) return convertBV(local, tf_, aabb_);
    unbounded();
  }
  void *getUserData() const { return user_data_; }
  void setUserData(void *data) { user_data_ = data; }

  const Vector3<S> getTranslation() const { return tf_.translation(); }
  const Matrix3<S> getRotation() const { return tf_.linear(); }
  const Quaternion<S> getQuatRotation() const { return Quaternion<S>(tf_.linear()); }
  const Transform3<S> &getTransform() const { return tf_; }
  void setRotation(const Matrix3<S> &R) { tf_.linear() = R; }
  void setTranslation(const Vector3<S> &T) { tf_.translation() = T; }
  void setQuatRotation(const Quaternion<S> &q) { tf_.linear() = q.toRotationMatrix(); }
  void setTransform(const Matrix3<S> &R, const Vector3<S> &T) { tf_ = transform(R, T); }
  void setTransform(const Quaternion<S> &q, const Vector3<S> &T) { tf_ = transform(q.toRotationMatrix(), T); }
  void setTransform(const Transform3<S> &tf) { tf_ = tf; }
  bool isIdentityTransform() const { return tf_.matrix().isIdentity(); }
  void setIdentityTransform() { tf_.setIdentity(); }

  const std::shared_ptr<const CollisionGeometry<S>> collisionGeometry() const { return geometry_; }
  const CollisionGeometry<S> *getCollisionGeometry() const { return geometry_.get(); }
  S getCostDensity() const { return geometry_->cost_density; }
  void setCostDensity(S c) { geometry_->cost_density = c; }
  bool isOccupied() const { return geometry_->isOccupied(); }
  bool isFree() const { return geometry_->isFree(); }
  bool isUncertain() const { return geometry_->isUncertain(); }

 private:
  static Transform3<S> transform(const Matrix3<S> &R, const Vector3<S> &T) {
    Transform3<S> tf = Transform3<S>::Identity();
    tf.linear() = R;
    tf.translation() = T;
    return tf;
  }
  static bool is_finite(const AABB<S> &box) {
    const S most = std::numeric_limits<S>::max() / 4;
    return (box.min_.array() > -most).all() && (box.max_.array() < most).all();
  }
  // Half-spaces and planes: bounded along an axis if the turned normal is that axis.
  void unbounded() {
    if (auto *half = dynamic_cast<const Halfspace<S> *>(geometry_.get())) return turned(*half, false);
    if (auto *plane = dynamic_cast<const Plane<S> *>(geometry_.get())) return turned(*plane, true);
    aabb_.min_.setConstant(-std::numeric_limits<S>::max());
    aabb_.max_.setConstant(std::numeric_limits<S>::max());
  }
  template <typename Shape>
  void turned(const Shape &shape, bool plane) {
    const Vector3<S> n = tf_.linear() * shape.n;
    aabb_ = detail::half_space_box<S>(n, shape.d + n.dot(tf_.translation()), plane);
  }

  std::shared_ptr<CollisionGeometry<S>> geometry_;
  Transform3<S> tf_;
  AABB<S> aabb_;
  void *user_data_ = nullptr;
};

using CollisionObjectf = CollisionObject<float>;
using CollisionObjectd = CollisionObject<double>;

}  // namespace fcl

#endif
