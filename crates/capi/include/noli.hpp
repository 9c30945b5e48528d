// noli for C++14 and later: RAII over noli.h, header only.
//
// Failing calls throw noli::Error. With NOLI_NO_EXCEPTIONS defined, or where a function named try_… is called, the answer
// is an Expected<T> instead. Thread rules are those of noli.h: models are shared freely, a Context serves one thread at a
// time.
#ifndef NOLI_HPP
#define NOLI_HPP

#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "noli.h"

namespace noli {

using Vector = std::array<double, 3>;
using Pose = noli_pose;
using Clearance = noli_clearance_result;
using Contact = noli_contact_point;
using Penetration = noli_penetration_result;
using Intersection = noli_intersection;
using RayHit = noli_ray_hit;
using Impact = noli_impact;
using Finding = noli_finding;
using Edge = noli_edge;

enum class Verdict : int32_t { separated = 0, colliding = 1, unknown = 2 };
enum class Relation : int32_t { separated = 0, touching = 1, intersecting = 2, inside = 3, unknown = 4 };
enum class Location : int32_t { outside = 0, on_surface = 1, inside = 2, unknown = 3 };

// Reason why a call failed: a code of noli.h, and a message with the remedy.
class Error : public std::runtime_error {
 public:
  Error(noli_status code, const std::string &message) : std::runtime_error(message), code_(code) {}
  noli_status code() const noexcept { return code_; }

 private:
  noli_status code_;
};

// An answer, or the reason why there is none.
template <typename T>
class Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(noli_status code, std::string message) : code_(code), message_(std::move(message)) {}
  bool has_value() const noexcept { return code_ == NOLI_OK; }
  explicit operator bool() const noexcept { return has_value(); }
  noli_status code() const noexcept { return code_; }
  const std::string &message() const noexcept { return message_; }
  // The answer. Throws Error if there is none; ends the program where exceptions are disabled.
  T &value() & {
    check();
    return value_;
  }
  T value() && {
    check();
    return std::move(value_);
  }

 private:
  void check() const {
    if (has_value()) return;
#ifdef NOLI_NO_EXCEPTIONS
    std::abort();
#else
    throw Error(code_, message_);
#endif
  }
  T value_{};
  noli_status code_ = NOLI_OK;
  std::string message_;
};

namespace detail {
template <typename T>
Expected<T> answer(noli_status status, T value) {
  if (status != NOLI_OK) return Expected<T>(status, noli_last_error_message());
  return Expected<T>(std::move(value));
}

inline void check(noli_status status) { answer(status, 0).value(); }

// Owner of a handle.
template <typename Handle, noli_status (*Free)(Handle)>
class Owner {
 public:
  Owner() noexcept : handle_{0} {}
  explicit Owner(Handle handle) noexcept : handle_(handle) {}
  Owner(Owner &&other) noexcept : handle_(other.release()) {}
  Owner &operator=(Owner &&other) noexcept {
    if (this != &other) {
      reset();
      handle_ = other.release();
    }
    return *this;
  }
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
  ~Owner() { reset(); }
  Handle handle() const noexcept { return handle_; }
  Handle release() noexcept { return std::exchange(handle_, Handle{0}); }
  void reset() noexcept {
    if (handle_.id != 0) Free(release());
  }

 private:
  Handle handle_;
};
}  // namespace detail

inline Pose identity() { return {0, 0, 0, 0, 0, 0, 1}; }
inline Pose translation(double x, double y, double z) { return {x, y, z, 0, 0, 0, 1}; }

// A model at a pose; borrowed, for a query.
using Placed = noli_placed;

// A shape prepared for queries.
class Model : public detail::Owner<noli_model, noli_model_free> {
 public:
  using Owner::Owner;

  // Triangle mesh: three coordinates a vertex, three vertex numbers a triangle.
  static Expected<Model> try_mesh(const double *vertices, std::size_t vertex_count, const uint32_t *triangles,
                                  std::size_t triangle_count, bool solid) {
    noli_mesh_data data{vertices, vertex_count, triangles, triangle_count, solid};
    return made([&](noli_model *out) { return noli_model_mesh(&data, out); });
  }
  static Model mesh(const std::vector<double> &vertices, const std::vector<uint32_t> &triangles, bool solid = false) {
    return try_mesh(vertices.data(), vertices.size() / 3, triangles.data(), triangles.size() / 3, solid).value();
  }
  static Model convex(const std::vector<double> &points) {
    return made([&](noli_model *out) { return noli_model_convex(points.data(), points.size() / 3, out); }).value();
  }
  static Model sphere(double radius) {
    return made([&](noli_model *out) { return noli_model_sphere(radius, out); }).value();
  }
  static Model box(double x, double y, double z) {
    return made([&](noli_model *out) { return noli_model_box(x, y, z, out); }).value();
  }
  static Model capsule(double length, double radius) {
    return made([&](noli_model *out) { return noli_model_capsule(length, radius, out); }).value();
  }
  static Model cylinder(double height, double radius) {
    return made([&](noli_model *out) { return noli_model_cylinder(height, radius, out); }).value();
  }
  static Model cone(double height, double radius) {
    return made([&](noli_model *out) { return noli_model_cone(height, radius, out); }).value();
  }
  static Model ellipsoid(double x, double y, double z) {
    return made([&](noli_model *out) { return noli_model_ellipsoid(x, y, z, out); }).value();
  }
  static Model half_space() {
    return made([](noli_model *out) { return noli_model_half_space(out); }).value();
  }
  static Model compound(const std::vector<Placed> &parts) {
    return made([&](noli_model *out) { return noli_model_compound(parts.data(), parts.size(), out); }).value();
  }
  // Points of a sensor, three numbers each, with a radius around each.
  static Model points(const std::vector<double> &points, double radius = 0) {
    return made([&](noli_model *out) { return noli_model_points(points.data(), points.size() / 3, radius, out); })
        .value();
  }
  // Bytes of a mesh file; `name` is used in messages, and its extension where the bytes do not declare their format.
  static Expected<Model> try_bytes(const std::vector<uint8_t> &bytes, const std::string &name, bool solid = false) {
    return made(
        [&](noli_model *out) { return noli_model_bytes(bytes.data(), bytes.size(), name.c_str(), solid, out); });
  }
  static Expected<Model> try_file(const std::string &path, bool solid = false) {
    return made([&](noli_model *out) { return noli_model_file(path.c_str(), solid, out); });
  }
  static Model file(const std::string &path, bool solid = false) { return try_file(path, solid).value(); }

  Placed at(const Pose &pose) const { return {handle(), pose}; }
  noli_bounds bounds() const {
    noli_bounds out;
    detail::check(noli_model_bounds(handle(), &out));
    return out;
  }

 private:
  template <typename F>
  static Expected<Model> made(F make) {
    noli_model out{0};
    const noli_status status = make(&out);
    return detail::answer(status, Model(out));
  }
};

// Scratch memory and budgets of queries. The default is that of the calling thread, without limits.
class Context : public detail::Owner<noli_context, noli_context_free> {
 public:
  Context() noexcept = default;
  static Context limited(uint64_t steps, double seconds = std::numeric_limits<double>::infinity()) {
    noli_context out{0};
    detail::check(noli_context_new(&out));
    Context context(out);
    detail::check(noli_context_set_steps(out, steps));
    detail::check(noli_context_set_seconds(out, seconds));
    return context;
  }
  // Ends running and later queries as undecided, from any thread.
  void cancel(bool cancelled = true) { detail::check(noli_context_cancel(handle(), cancelled)); }

  Expected<Verdict> try_overlap(const Placed &a, const Placed &b) const {
    noli_verdict out = 0;
    const noli_status status = noli_overlap(handle(), &a, &b, &out);
    return detail::answer(status, static_cast<Verdict>(out));
  }
  Verdict overlap(const Placed &a, const Placed &b) const { return try_overlap(a, b).value(); }

  Expected<Verdict> try_within_distance(const Placed &a, const Placed &b, double distance) const {
    noli_verdict out = 0;
    const noli_status status = noli_within_distance(handle(), &a, &b, distance, &out);
    return detail::answer(status, static_cast<Verdict>(out));
  }
  Verdict within_distance(const Placed &a, const Placed &b, double distance) const {
    return try_within_distance(a, b, distance).value();
  }

  Expected<Clearance> try_clearance(const Placed &a, const Placed &b,
                                    double max_distance = std::numeric_limits<double>::infinity()) const {
    Clearance out{};
    const noli_status status = noli_clearance(handle(), &a, &b, max_distance, &out);
    return detail::answer(status, out);
  }
  Clearance clearance(const Placed &a, const Placed &b,
                      double max_distance = std::numeric_limits<double>::infinity()) const {
    return try_clearance(a, b, max_distance).value();
  }

  Relation relation(const Placed &a, const Placed &b) const {
    noli_relation_kind out = 0;
    detail::check(noli_relation(handle(), &a, &b, &out));
    return static_cast<Relation>(out);
  }
  Penetration penetration(const Placed &a, const Placed &b, double tolerance = 0) const {
    Penetration out{};
    detail::check(noli_penetration(handle(), &a, &b, tolerance, &out));
    return out;
  }
  // Up to four contacts; none if the bodies are separated, or the budget ran out.
  std::vector<Contact> manifold(const Placed &a, const Placed &b) const {
    std::vector<Contact> items(4);
    noli_contact_list list{items.data(), items.size(), 0, 0};
    detail::check(noli_manifold(handle(), &a, &b, &list));
    items.resize(list.count < 4 ? list.count : 4);
    return items;
  }
  // Intersecting faces, at most so many.
  std::vector<Intersection> intersections(const Placed &a, const Placed &b, std::size_t most) const {
    std::vector<Intersection> items(most);
    noli_intersection_list list{items.data(), items.size(), 0, 0};
    detail::check(noli_intersections(handle(), &a, &b, &list));
    items.resize(list.count);
    return items;
  }
  Location locate_point(const Placed &body, const Vector &point) const {
    int32_t out = 0;
    detail::check(noli_locate_point(handle(), &body, point.data(), &out));
    return static_cast<Location>(out);
  }
  // All intersections of a ray, ordered by t.
  std::vector<RayHit> ray_cast(const Placed &body, const noli_ray &ray) const {
    std::vector<RayHit> items(16);
    noli_ray_hit_list list{items.data(), items.size(), 0, 0};
    detail::check(noli_ray_cast(handle(), &body, &ray, &list));
    if (list.count > items.size()) {
      items.resize(list.count);
      list.items = items.data();
      list.capacity = items.size();
      detail::check(noli_ray_cast(handle(), &body, &ray, &list));
    }
    items.resize(list.count);
    return items;
  }
  Impact time_of_impact(const noli_moving &a, const noli_moving &b, const noli_impact_query &options = {0, 0}) const {
    Impact out{};
    detail::check(noli_time_of_impact(handle(), &a, &b, &options, &out));
    return out;
  }

 private:
  explicit Context(noli_context handle) noexcept : Owner(handle) {}
};

inline noli_moving moving(const Model &model, const Pose &start, const Pose &end, const Vector &pivot = {{0, 0, 0}}) {
  noli_moving out{};
  out.model = model.handle();
  out.motion.kind = NOLI_MOTION_BETWEEN;
  out.motion.start = start;
  out.motion.end = end;
  for (int i = 0; i < 3; ++i) out.motion.pivot[i] = pivot[i];
  return out;
}

inline noli_moving still(const Model &model, const Pose &pose) {
  noli_moving out{};
  out.model = model.handle();
  out.motion.kind = NOLI_MOTION_STILL;
  out.motion.start = pose;
  return out;
}

// Queries with the default context of the calling thread.
inline Verdict overlap(const Placed &a, const Placed &b) { return Context().overlap(a, b); }
inline Clearance clearance(const Placed &a, const Placed &b) { return Context().clearance(a, b); }
inline Relation relation(const Placed &a, const Placed &b) { return Context().relation(a, b); }

// One model at many poses against a placed one, on all threads.
inline std::vector<Verdict> overlap_batch(const Placed &a, const Model &b, const std::vector<Pose> &poses) {
  static_assert(sizeof(Verdict) == sizeof(noli_verdict), "verdicts are stored as they come");
  std::vector<Verdict> out(poses.size());
  detail::check(noli_overlap_batch(&a, b.handle(), poses.data(), poses.size(),
                                   reinterpret_cast<noli_verdict *>(out.data())));
  return out;
}

}  // namespace noli

#include "noli/worlds.hpp"

#endif
