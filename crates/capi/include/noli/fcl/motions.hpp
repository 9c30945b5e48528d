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
  // The motion as the library takes it.
  virtual noli_motion motion() const = 0;

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
  noli_motion motion() const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_VELOCITIES;
    m.start = detail::pose_of(start_);
    for (int i = 0; i < 3; ++i) m.linear[i] = shift_[i];
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
  noli_motion motion() const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_BETWEEN;
    m.start = detail::pose_of(start_);
    m.end = detail::pose_of(end_);
    for (int i = 0; i < 3; ++i) m.pivot[i] = pivot_[i];
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
  noli_motion motion() const override {
    noli_motion m{};
    m.kind = NOLI_MOTION_VELOCITIES;
    m.start = detail::pose_of(start_);
    for (int i = 0; i < 3; ++i) {
      m.linear[i] = advance_[i];
      m.angular[i] = angle_ * axis_[i];
      m.pivot[i] = pivot_[i];
    }
    return m;
  }

 private:
  Transform3<S> start_;
  Vector3<S> axis_, advance_, pivot_;
  S angle_;
};

template <typename S>
using MotionBasePtr = std::shared_ptr<MotionBase<S>>;

}  // namespace fcl

#endif
