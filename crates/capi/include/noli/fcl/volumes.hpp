// Bounding volumes: boxes that can be used, and names that only select a type of BVHModel.
#ifndef NOLI_FCL_VOLUMES_HPP
#define NOLI_FCL_VOLUMES_HPP

#include "types.hpp"

namespace fcl {

// Axis-aligned box.
template <typename S_>
class AABB {
 public:
  using S = S_;
  Vector3<S> min_ = Vector3<S>::Constant(std::numeric_limits<S>::max());
  Vector3<S> max_ = Vector3<S>::Constant(-std::numeric_limits<S>::max());

  AABB() = default;
  AABB(const Vector3<S> &v) : min_(v), max_(v) {}
  AABB(const Vector3<S> &a, const Vector3<S> &b) : min_(a.cwiseMin(b)), max_(a.cwiseMax(b)) {}
  AABB(const AABB &core, const Vector3<S> &delta) : min_(core.min_ - delta), max_(core.max_ + delta) {}
  AABB(const Vector3<S> &a, const Vector3<S> &b, const Vector3<S> &c)
      : min_(a.cwiseMin(b).cwiseMin(c)), max_(a.cwiseMax(b).cwiseMax(c)) {}

  bool overlap(const AABB &o) const {
    return (min_.array() <= o.max_.array()).all() && (o.min_.array() <= max_.array()).all();
  }
  bool overlap(const AABB &o, AABB &part) const {
    if (!overlap(o)) return false;
    part.min_ = min_.cwiseMax(o.min_);
    part.max_ = max_.cwiseMin(o.max_);
    return true;
  }
  bool axisOverlap(const AABB &o, int i) const { return min_[i] <= o.max_[i] && o.min_[i] <= max_[i]; }
  bool contain(const AABB &o) const {
    return (o.min_.array() >= min_.array()).all() && (o.max_.array() <= max_.array()).all();
  }
  bool contain(const Vector3<S> &p) const { return contain(AABB(p)); }
  AABB &operator+=(const Vector3<S> &p) {
    min_ = min_.cwiseMin(p);
    max_ = max_.cwiseMax(p);
    return *this;
  }
  AABB &operator+=(const AABB &o) {
    min_ = min_.cwiseMin(o.min_);
    max_ = max_.cwiseMax(o.max_);
    return *this;
  }
  AABB operator+(const AABB &o) const { return AABB(*this) += o; }
  S width() const { return max_[0] - min_[0]; }
  S height() const { return max_[1] - min_[1]; }
  S depth() const { return max_[2] - min_[2]; }
  S volume() const { return width() * height() * depth(); }
  S size() const { return (max_ - min_).squaredNorm(); }
  S radius() const { return (max_ - min_).norm() / 2; }
  Vector3<S> center() const { return (min_ + max_) * S(0.5); }
  // Distance of the boxes; the nearest points are optional.
  S distance(const AABB &o, Vector3<S> *p = nullptr, Vector3<S> *q = nullptr) const {
    const Vector3<S> low = min_.cwiseMax(o.min_), high = max_.cwiseMin(o.max_);
    if (p) *p = low.cwiseMin(max_);
    if (q) *q = low.cwiseMin(o.max_);
    return (low - high).cwiseMax(S(0)).norm();
  }
  bool equal(const AABB &o) const { return min_.isApprox(o.min_) && max_.isApprox(o.max_); }
  AABB &expand(const Vector3<S> &delta) {
    min_ -= delta;
    max_ += delta;
    return *this;
  }
  AABB &expand(const AABB &core, S ratio) {
    min_ = min_ * ratio - core.min_;
    max_ = max_ * ratio - core.max_;
    return *this;
  }
};

template <typename S, typename Derived>
AABB<S> translate(const AABB<S> &aabb, const Eigen::MatrixBase<Derived> &t) {
  AABB<S> moved(aabb);
  moved.min_ += t;
  moved.max_ += t;
  return moved;
}

// Oriented box.
template <typename S_>
class OBB {
 public:
  using S = S_;
  Matrix3<S> axis = Matrix3<S>::Identity();
  Vector3<S> To = Vector3<S>::Zero();
  Vector3<S> extent = Vector3<S>::Zero();

  OBB() = default;
  OBB(const Matrix3<S> &axis_, const Vector3<S> &center_, const Vector3<S> &extent_)
      : axis(axis_), To(center_), extent(extent_) {}

  // Separating axes of two boxes (Gottschalk 1996).
  bool overlap(const OBB &o) const {
    const Matrix3<S> r = axis.transpose() * o.axis;
    const Vector3<S> t = axis.transpose() * (o.To - To);
    const Matrix3<S> a = r.cwiseAbs();
    for (int i = 0; i < 3; ++i) {
      if (std::abs(t[i]) > extent[i] + a.row(i).dot(o.extent)) return false;
      if (std::abs(t.dot(r.col(i))) > extent.dot(a.col(i)) + o.extent[i]) return false;
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        // Parallel edges have no axis of their own.
        if (a(i, j) > S(1) - S(1e-9)) continue;
        const S reach = extent[i1] * a(i2, j) + extent[i2] * a(i1, j) + o.extent[j1] * a(i, j2) + o.extent[j2] * a(i, j1);
        if (std::abs(t[i2] * r(i1, j) - t[i1] * r(i2, j)) > reach) return false;
      }
    return true;
  }
  bool contain(const Vector3<S> &p) const {
    return ((axis.transpose() * (p - To)).cwiseAbs().array() <= extent.array()).all();
  }
  S width() const { return 2 * extent[0]; }
  S height() const { return 2 * extent[1]; }
  S depth() const { return 2 * extent[2]; }
  S volume() const { return width() * height() * depth(); }
  S size() const { return extent.squaredNorm(); }
  const Vector3<S> center() const { return To; }
};

// Names of other volumes: as the argument of BVHModel they are the same as OBB.
template <typename S_> class RSS { public: using S = S_; };
template <typename S_> class OBBRSS { public: using S = S_; };
template <typename S_> class kIOS { public: using S = S_; };
template <typename S_, std::size_t N> class KDOP { public: using S = S_; };

using AABBf = AABB<float>;
using AABBd = AABB<double>;
using OBBf = OBB<float>;
using OBBd = OBB<double>;
using RSSf = RSS<float>;
using RSSd = RSS<double>;
using OBBRSSf = OBBRSS<float>;
using OBBRSSd = OBBRSS<double>;
using kIOSf = kIOS<float>;
using kIOSd = kIOS<double>;

// Number of a volume in NODE_TYPE, counted from BV_AABB.
namespace detail {
template <typename BV> struct VolumeNumber;
template <typename S> struct VolumeNumber<AABB<S>> { static const int value = 0; };
template <typename S> struct VolumeNumber<OBB<S>> { static const int value = 1; };
template <typename S> struct VolumeNumber<RSS<S>> { static const int value = 2; };
template <typename S> struct VolumeNumber<kIOS<S>> { static const int value = 3; };
template <typename S> struct VolumeNumber<OBBRSS<S>> { static const int value = 4; };
template <typename S> struct VolumeNumber<KDOP<S, 16>> { static const int value = 5; };
template <typename S> struct VolumeNumber<KDOP<S, 18>> { static const int value = 6; };
template <typename S> struct VolumeNumber<KDOP<S, 24>> { static const int value = 7; };
}  // namespace detail

}  // namespace fcl

#endif
