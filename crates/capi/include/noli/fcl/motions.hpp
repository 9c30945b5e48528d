// Motions during the time from 0 to 1.
#ifndef NOLI_FCL_MOTIONS_HPP
#define NOLI_FCL_MOTIONS_HPP

#include "narrow.hpp"

namespace fcl {

// A motion: a transform for every time.
template <typename S_>
class MotionBase {
 public:
  using S = S_;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
  virtual ~MotionBase() {}
  // Go to a time.
  virtual bool integrate(S dt) const {
    time_ = std::min(std::max(dt, S(0)), S(1));
    return true;
  }
  virtual Transform3<S> at(S time) const = 0;
  // Number of parts into which a motion is cut that the library does not have; 1 for those that it has.
  virtual int parts() const { return 1; }
  // Part `i` of `n`, of equal duration, as the library takes it.
  virtual noli_motion part(int i, int n) const = 0;
  // Bound on the distance of the points within `radius` of the origin of the body from the motion, in any of `n` parts.
  virtual double deviation(int n, double radius) const {
    FCL_UNUSED(n);
    FCL_UNUSED(radius);
    return 0;
  }

  void getCurrentTransform(Transform3<S> &tf) const { tf = at(time_); }
  void getCurrentTransform(Matrix3<S> &R, Vector3<S> &T) const {
    const Transform3<S> tf = at(time_);
    R = tf.linear();
    T = tf.translation();
  }
  void getCurrentTransform(Quaternion<S> &Q, Vector3<S> &T) const {
    const Transform3<S> tf = at(time_);
    Q = Quaternion<S>(tf.linear());
    T = tf.translation();
  }
  void getCurrentRotation(Matrix3<S> &R) const { R = at(time_).linear(); }
  void getCurrentTranslation(Vector3<S> &T) const { T = at(time_).translation(); }

 private:
  mutable S time_ = 0;
};

// A straight translation; the rotation of the start stays.
template <typename S_>
class TranslationMotion : public MotionBase<S_> {
 public:
  using S = S_;
  TranslationMotion(const Transform3<S> &tf1, const Transform3<S> &tf2)
      : start_(tf1), shift_(tf2.translation() - tf1.translation()) {}
  TranslationMotion(const Matrix3<S> &R, const Vector3<S> &t1, const Vector3<S> &t2) : shift_(t2 - t1) {
    start_.setIdentity();
    start_.linear() = R;
    start_.translation() = t1;
  }
  Transform3<S> at(S time) const override {
    Transform3<S> tf(start_);
    tf.translation() += shift_ * time;
    return tf;
  }
  noli_motion part(int i, int n) const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_VELOCITIES;
    m.start = detail::pose_of(at(S(i) / S(n)));
    for (int k = 0; k < 3; ++k) m.linear[k] = shift_[k] / n;
    return m;
  }

 private:
  Transform3<S> start_;
  Vector3<S> shift_;
};

// A straight path of a reference point, with the shorter rotation about it.
template <typename S_>
class InterpMotion : public MotionBase<S_> {
 public:
  using S = S_;
  InterpMotion() : InterpMotion(Transform3<S>::Identity(), Transform3<S>::Identity()) {}
  InterpMotion(const Transform3<S> &tf1, const Transform3<S> &tf2, const Vector3<S> &O = Vector3<S>::Zero())
      : start_(tf1), end_(tf2), pivot_(O) {}
  InterpMotion(const Matrix3<S> &R1, const Vector3<S> &T1, const Matrix3<S> &R2, const Vector3<S> &T2,
               const Vector3<S> &O = Vector3<S>::Zero())
      : pivot_(O) {
    start_.setIdentity();
    end_.setIdentity();
    start_.linear() = R1;
    start_.translation() = T1;
    end_.linear() = R2;
    end_.translation() = T2;
  }
  Transform3<S> at(S time) const override {
    const AngleAxis<S> turn(Matrix3<S>(end_.linear() * start_.linear().transpose()));
    Transform3<S> tf = Transform3<S>::Identity();
    tf.linear() = AngleAxis<S>(turn.angle() * time, turn.axis()).toRotationMatrix() * start_.linear();
    tf.translation() = (start_ * pivot_) * (1 - time) + (end_ * pivot_) * time - tf.linear() * pivot_;
    return tf;
  }
  noli_motion part(int i, int n) const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_BETWEEN;
    m.start = detail::pose_of(i == 0 ? start_ : at(S(i) / S(n)));
    m.end = detail::pose_of(i + 1 == n ? end_ : at(S(i + 1) / S(n)));
    for (int k = 0; k < 3; ++k) m.pivot[k] = pivot_[k];
    return m;
  }

 private:
  Transform3<S> start_, end_;
  Vector3<S> pivot_;
};

// A screw from one transform to another.
template <typename S_>
class ScrewMotion : public MotionBase<S_> {
 public:
  using S = S_;
  ScrewMotion() : ScrewMotion(Transform3<S>::Identity(), Transform3<S>::Identity()) {}
  ScrewMotion(const Transform3<S> &tf1, const Transform3<S> &tf2) : start_(tf1) {
    const AngleAxis<S> turn(Matrix3<S>(tf2.linear() * tf1.linear().transpose()));
    const Vector3<S> shift = tf2.translation() - tf1.translation();
    angle_ = turn.angle();
    axis_ = turn.axis();
    if (std::abs(angle_) < S(1e-12)) {
      angle_ = 0;
      advance_ = shift;
      pivot_.setZero();
      return;
    }
    // The point of the axis next to the origin of the body (Chasles 1830).
    const S along = shift.dot(axis_);
    const Vector3<S> across = shift - along * axis_;
    const Vector3<S> centre = tf1.translation() + (across + axis_.cross(across) / std::tan(angle_ / 2)) / 2;
    advance_ = along * axis_;
    pivot_ = tf1.linear().transpose() * (centre - tf1.translation());
  }
  Transform3<S> at(S time) const override {
    Transform3<S> tf = Transform3<S>::Identity();
    tf.linear() = AngleAxis<S>(angle_ * time, axis_).toRotationMatrix() * start_.linear();
    tf.translation() = start_ * pivot_ + advance_ * time - tf.linear() * pivot_;
    return tf;
  }
  noli_motion part(int i, int n) const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_VELOCITIES;
    m.start = detail::pose_of(at(S(i) / S(n)));
    for (int k = 0; k < 3; ++k) {
      m.linear[k] = advance_[k] / n;
      m.angular[k] = angle_ * axis_[k] / n;
      m.pivot[k] = pivot_[k];
    }
    return m;
  }

 private:
  Transform3<S> start_;
  Vector3<S> axis_, advance_, pivot_;
  S angle_;
};

// A uniform cubic B-spline of translations and of rotation vectors. Queries follow 64 chords, and add the distance of the
// spline from them to the margin: no contact is missed, and one within that distance may be reported.
template <typename S_>
class SplineMotion : public MotionBase<S_> {
 public:
  using S = S_;
  SplineMotion(const Vector3<S> &Td0, const Vector3<S> &Td1, const Vector3<S> &Td2, const Vector3<S> &Td3,
               const Vector3<S> &Rd0, const Vector3<S> &Rd1, const Vector3<S> &Rd2, const Vector3<S> &Rd3)
      : t_{Td0, Td1, Td2, Td3}, r_{Rd0, Rd1, Rd2, Rd3} {}
  Transform3<S> at(S t) const override {
    const S u = 1 - t;
    const S w[4] = {u * u * u / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (1 + 3 * t + 3 * t * t - 3 * t * t * t) / 6,
                    t * t * t / 6};
    Vector3<S> shift = Vector3<S>::Zero(), turn = Vector3<S>::Zero();
    for (int i = 0; i < 4; ++i) shift += w[i] * t_[i], turn += w[i] * r_[i];
    Transform3<S> tf = Transform3<S>::Identity();
    const S angle = turn.norm();
    if (angle > 0) tf.linear() = AngleAxis<S>(angle, turn / angle).toRotationMatrix();
    tf.translation() = shift;
    return tf;
  }
  int parts() const override { return 64; }
  noli_motion part(int i, int n) const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_BETWEEN;
    m.start = detail::pose_of(at(S(i) / S(n)));
    m.end = detail::pose_of(at(S(i + 1) / S(n)));
    return m;
  }
  // A chord errs by an eighth of the acceleration, which is between the second differences of the control points; a
  // rotation by no more than the angle turned, whose speed is bounded by the first differences.
  double deviation(int n, double radius) const override {
    double acceleration = 0, speed = 0;
    for (int i = 0; i < 2; ++i)
      acceleration = std::max<double>(acceleration, (t_[i] - 2 * t_[i + 1] + t_[i + 2]).norm());
    for (int i = 0; i < 3; ++i) speed = std::max<double>(speed, (r_[i + 1] - r_[i]).norm());
    return acceleration / (8. * n * n) + speed * radius / n;
  }

 private:
  Vector3<S> t_[4], r_[4];
};

template <typename S>
using MotionBasePtr = std::shared_ptr<MotionBase<S>>;

}  // namespace fcl

#endif
