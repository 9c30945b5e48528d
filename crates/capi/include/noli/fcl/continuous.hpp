// Continuous collision: the first contact of two moving objects.
#ifndef NOLI_FCL_CONTINUOUS_HPP
#define NOLI_FCL_CONTINUOUS_HPP

#include "motions.hpp"

namespace fcl {

enum CCDMotionType { CCDM_TRANS, CCDM_LINEAR, CCDM_SCREW, CCDM_SPLINE };
enum CCDSolverType { CCDC_NAIVE, CCDC_CONSERVATIVE_ADVANCEMENT, CCDC_RAY_SHOOTING, CCDC_POLYNOMIAL_SOLVER };

// Request. Solvers and iterations select nothing; toc_err is the width of the answer where positive.
template <typename S_>
struct ContinuousCollisionRequest {
  using S = S_;
  std::size_t num_max_iterations;
  S toc_err;
  CCDMotionType ccd_motion_type;
  GJKSolverType gjk_solver_type;
  CCDSolverType ccd_solver_type;
  ContinuousCollisionRequest(std::size_t num_max_iterations_ = 10, S toc_err_ = 0.0001,
                             CCDMotionType ccd_motion_type_ = CCDM_TRANS, GJKSolverType gjk_solver_type_ = GST_LIBCCD,
                             CCDSolverType ccd_solver_type_ = CCDC_NAIVE)
      : num_max_iterations(num_max_iterations_), toc_err(toc_err_), ccd_motion_type(ccd_motion_type_),
        gjk_solver_type(gjk_solver_type_), ccd_solver_type(ccd_solver_type_) {}
};

// Result: the time of contact is never late; transforms are those at that time.
template <typename S_>
struct ContinuousCollisionResult {
  using S = S_;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
  bool is_collide = false;
  S time_of_contact = 1;
  Transform3<S> contact_tf1 = Transform3<S>::Identity();
  Transform3<S> contact_tf2 = Transform3<S>::Identity();
};

// A geometry in motion.
template <typename S_>
class ContinuousCollisionObject {
 public:
  using S = S_;
  ContinuousCollisionObject(const std::shared_ptr<CollisionGeometry<S>> &geometry,
                            const std::shared_ptr<MotionBase<S>> &motion)
      : geometry_(geometry), motion_(motion) {}
  OBJECT_TYPE getObjectType() const { return geometry_->getObjectType(); }
  NODE_TYPE getNodeType() const { return geometry_->getNodeType(); }
  MotionBase<S> *getMotion() const { return motion_.get(); }
  const CollisionGeometry<S> *getCollisionGeometry() const { return geometry_.get(); }
  const std::shared_ptr<const CollisionGeometry<S>> collisionGeometry() const { return geometry_; }
  void *getUserData() const { return user_data_; }
  void setUserData(void *data) { user_data_ = data; }

 private:
  std::shared_ptr<CollisionGeometry<S>> geometry_;
  std::shared_ptr<MotionBase<S>> motion_;
  void *user_data_ = nullptr;
};

namespace detail {
// Distance of the farthest point of a geometry from its origin, at most.
template <typename S>
double radius_of(const CollisionGeometry<S> *o) {
  noli_bounds box;
  check(noli_model_bounds(o->model(), &box));
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double most = std::max(std::abs(box.min[i]), std::abs(box.max[i]));
    sum += most * most;
  }
  return std::sqrt(sum);
}

// First contact of two motions that are cut into `n` parts each; its time, or none if there is no contact.
template <typename S>
bool first_contact(const CollisionGeometry<S> *o1, const MotionBase<S> &m1, const CollisionGeometry<S> *o2,
                   const MotionBase<S> &m2, S &time) {
  const int n = std::max(m1.parts(), m2.parts());
  noli_impact_query options{0, 0};
  if (n > 1) options.margin = m1.deviation(n, radius_of(o1)) + m2.deviation(n, radius_of(o2));
  for (int i = 0; i < n; ++i) {
    const noli_moving a{o1->model(), m1.part(i, n)}, b{o2->model(), m2.part(i, n)};
    noli_impact impact{};
    check(noli_time_of_impact(noli_context{0}, &a, &b, &options, &impact));
    if (impact.kind == NOLI_IMPACT_NONE) continue;
    time = static_cast<S>((i + impact.safe_until) / n);
    return true;
  }
  return false;
}
}  // namespace detail

// First contact of two geometries in motion; returns its time, or -1 as FCL does where there is none. Half-spaces and planes
// that move are refused.
template <typename S>
S continuousCollide(const CollisionGeometry<S> *o1, const MotionBase<S> *motion1, const CollisionGeometry<S> *o2,
                    const MotionBase<S> *motion2, const ContinuousCollisionRequest<S> &,
                    ContinuousCollisionResult<S> &result) {
  if (detail::is_flat(o1) || detail::is_flat(o2))
    ::noli::Expected<int>(NOLI_ERROR_VALUE, "half-spaces and planes in motion are not supported; give a box").value();
  S time = 1;
  result.is_collide = detail::first_contact(o1, *motion1, o2, *motion2, time);
  result.time_of_contact = time;
  result.contact_tf1 = motion1->at(time);
  result.contact_tf2 = motion2->at(time);
  return result.is_collide ? time : S(-1);
}

namespace detail {
template <typename S>
std::shared_ptr<MotionBase<S>> motion_of(const Transform3<S> &from, const Transform3<S> &to, CCDMotionType type) {
  switch (type) {
    case CCDM_TRANS: return make_aligned_shared<TranslationMotion<S>>(from, to);
    case CCDM_LINEAR: return make_aligned_shared<InterpMotion<S>>(from, to);
    case CCDM_SCREW: return make_aligned_shared<ScrewMotion<S>>(from, to);
    default:
      ::noli::Expected<int>(NOLI_ERROR_VALUE, "splines are not supported; give CCDM_LINEAR or CCDM_SCREW").value();
      return nullptr;
  }
}
}  // namespace detail

template <typename S>
S continuousCollide(const CollisionGeometry<S> *o1, const Transform3<S> &tf1_beg, const Transform3<S> &tf1_end,
                    const CollisionGeometry<S> *o2, const Transform3<S> &tf2_beg, const Transform3<S> &tf2_end,
                    const ContinuousCollisionRequest<S> &request, ContinuousCollisionResult<S> &result) {
  const auto motion1 = detail::motion_of(tf1_beg, tf1_end, request.ccd_motion_type);
  const auto motion2 = detail::motion_of(tf2_beg, tf2_end, request.ccd_motion_type);
  return continuousCollide(o1, motion1.get(), o2, motion2.get(), request, result);
}
template <typename S>
S continuousCollide(const CollisionObject<S> *o1, const Transform3<S> &tf1_end, const CollisionObject<S> *o2,
                    const Transform3<S> &tf2_end, const ContinuousCollisionRequest<S> &request,
                    ContinuousCollisionResult<S> &result) {
  return continuousCollide(o1->getCollisionGeometry(), o1->getTransform(), tf1_end, o2->getCollisionGeometry(),
                           o2->getTransform(), tf2_end, request, result);
}
template <typename S>
S collide(const ContinuousCollisionObject<S> *o1, const ContinuousCollisionObject<S> *o2,
          const ContinuousCollisionRequest<S> &request, ContinuousCollisionResult<S> &result) {
  return continuousCollide(o1->getCollisionGeometry(), o1->getMotion(), o2->getCollisionGeometry(),
                           o2->getMotion(), request, result);
}

using ContinuousCollisionRequestf = ContinuousCollisionRequest<float>;
using ContinuousCollisionRequestd = ContinuousCollisionRequest<double>;
using ContinuousCollisionResultf = ContinuousCollisionResult<float>;
using ContinuousCollisionResultd = ContinuousCollisionResult<double>;
using ContinuousCollisionObjectf = ContinuousCollisionObject<float>;
using ContinuousCollisionObjectd = ContinuousCollisionObject<double>;

}  // namespace fcl

#endif
