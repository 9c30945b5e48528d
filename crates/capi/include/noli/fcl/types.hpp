// Numbers, vectors and transforms, as FCL names them.
#ifndef NOLI_FCL_TYPES_HPP
#define NOLI_FCL_TYPES_HPP

#include <Eigen/Dense>
#include <Eigen/StdVector>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "../../noli.hpp"

#ifndef FCL_UNUSED
#define FCL_UNUSED(x) (void)(x)
#endif
#define FCL_SUPPRESS_UNINITIALIZED_BEGIN
#define FCL_SUPPRESS_UNINITIALIZED_END
#define FCL_SUPPRESS_MAYBE_UNINITIALIZED_BEGIN
#define FCL_SUPPRESS_MAYBE_UNINITIALIZED_END
#define FCL_EXPORT
#define FCL_DEPRECATED
#ifndef FCL_HAVE_OCTOMAP
#define FCL_HAVE_OCTOMAP 0
#endif
#ifndef FCL_HAVE_SSE
#define FCL_HAVE_SSE 0
#endif

// The number type of libccd, which programs for FCL name.
using ccd_real_t = double;

namespace fcl {

using int64 = std::int64_t;
using uint64 = std::uint64_t;
using intptr_t = std::intptr_t;
using uintptr_t = std::uintptr_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;

template <typename S> using Vector2 = Eigen::Matrix<S, 2, 1>;
template <typename S> using Vector3 = Eigen::Matrix<S, 3, 1>;
template <typename S> using Vector6 = Eigen::Matrix<S, 6, 1>;
template <typename S> using Vector7 = Eigen::Matrix<S, 7, 1>;
template <typename S, int N> using VectorN = Eigen::Matrix<S, N, 1>;
template <typename S> using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <typename S> using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <typename S> using Quaternion = Eigen::Quaternion<S>;
template <typename S> using Transform3 = Eigen::Transform<S, 3, Eigen::Isometry>;
template <typename S> using Isometry3 = Transform3<S>;
template <typename S> using Translation3 = Eigen::Translation<S, 3>;
template <typename S> using AngleAxis = Eigen::AngleAxis<S>;

using Vector3f = Vector3<float>;
using Vector3d = Vector3<double>;
using Matrix3f = Matrix3<float>;
using Matrix3d = Matrix3<double>;
using Quaternionf = Quaternion<float>;
using Quaterniond = Quaternion<double>;
using Transform3f = Transform3<float>;
using Transform3d = Transform3<double>;
using Translation3f = Translation3<float>;
using Translation3d = Translation3<double>;
using AngleAxisf = AngleAxis<float>;
using AngleAxisd = AngleAxis<double>;

template <typename T> using aligned_vector = std::vector<T, Eigen::aligned_allocator<T>>;
template <typename K, typename T>
using aligned_map = std::map<K, T, std::less<K>, Eigen::aligned_allocator<std::pair<const K, T>>>;

template <typename T, typename... Arguments>
std::shared_ptr<T> make_aligned_shared(Arguments &&...arguments) {
  return std::allocate_shared<T>(Eigen::aligned_allocator<T>(), std::forward<Arguments>(arguments)...);
}

template <typename S>
struct constants {
  using Real = S;
  static constexpr S pi() { return S(3.141592653589793238462643383279502884197169399375105820974944592L); }
  static constexpr S phi() { return S(1.618033988749894848204586834365638117720309179805762862135448623L); }
  static constexpr S eps() { return std::numeric_limits<S>::epsilon(); }
  static S eps_78() { return std::pow(eps(), S(7. / 8.)); }
  static S eps_34() { return std::pow(eps(), S(3. / 4.)); }
  static S eps_12() { return std::pow(eps(), S(1. / 2.)); }
  static S gjk_default_tolerance() { return S(1e-6); }
};
using constantsf = constants<float>;
using constantsd = constants<double>;

// Three vertex numbers.
class Triangle {
 public:
  Triangle() : vids{0, 0, 0} {}
  Triangle(std::size_t a, std::size_t b, std::size_t c) : vids{a, b, c} {}
  void set(std::size_t a, std::size_t b, std::size_t c) {
    vids[0] = a;
    vids[1] = b;
    vids[2] = c;
  }
  std::size_t operator[](int i) const { return vids[i]; }
  std::size_t &operator[](int i) { return vids[i]; }

 private:
  std::size_t vids[3];
};

// Orthonormal axes of which the first is given.
template <typename S>
Matrix3<S> generateCoordinateSystem(const Vector3<S> &x_axis) {
  Matrix3<S> axis;
  axis.col(0) = x_axis.normalized();
  axis.col(1) = axis.col(0).unitOrthogonal();
  axis.col(2) = axis.col(0).cross(axis.col(1));
  return axis;
}

namespace detail {

using Pose = ::noli::Pose;

// The pose of a transform. Rotations by quarters of a turn stay exact: the quaternion is not normalised.
template <typename S>
Pose pose_of(const Transform3<S> &tf) {
  const Matrix3<double> r = tf.linear().template cast<double>();
  const Vector3<double> t = tf.translation().template cast<double>();
  // The largest component by the trace and the diagonal (Shepperd 1978), four times its square first.
  const double x = 1 + r(0, 0) - r(1, 1) - r(2, 2), y = 1 - r(0, 0) + r(1, 1) - r(2, 2);
  const double z = 1 - r(0, 0) - r(1, 1) + r(2, 2), w = 1 + r(0, 0) + r(1, 1) + r(2, 2);
  const double xy = r(0, 1) + r(1, 0), xz = r(0, 2) + r(2, 0), yz = r(1, 2) + r(2, 1);
  const double wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1);
  if (w >= x && w >= y && w >= z) return {t[0], t[1], t[2], wx, wy, wz, w};
  if (x >= y && x >= z) return {t[0], t[1], t[2], x, xy, xz, wx};
  if (y >= z) return {t[0], t[1], t[2], xy, y, yz, wy};
  return {t[0], t[1], t[2], xz, yz, z, wz};
}

template <typename S>
Vector3<S> vector_of(const double *v) {
  return Vector3<S>(static_cast<S>(v[0]), static_cast<S>(v[1]), static_cast<S>(v[2]));
}

}  // namespace detail
}  // namespace fcl

#endif
