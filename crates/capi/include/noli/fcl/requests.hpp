// Requests and results.
#ifndef NOLI_FCL_REQUESTS_HPP
#define NOLI_FCL_REQUESTS_HPP

#include "objects.hpp"

namespace fcl {

enum GJKSolverType { GST_LIBCCD, GST_INDEP };

// A contact point: normal from the first object to the second.
template <typename S_>
struct ContactPoint {
  using S = S_;
  Vector3<S> normal = Vector3<S>::Zero();
  Vector3<S> pos = Vector3<S>::Zero();
  S penetration_depth = 0;
  ContactPoint() = default;
  ContactPoint(const Vector3<S> &n, const Vector3<S> &p, S depth) : normal(n), pos(p), penetration_depth(depth) {}
};

template <typename S>
bool comparePenDepth(const ContactPoint<S> &a, const ContactPoint<S> &b) {
  return a.penetration_depth < b.penetration_depth;
}
template <typename S>
void flipNormal(std::vector<ContactPoint<S>> &contacts) {
  for (auto &contact : contacts) contact.normal *= S(-1);
}

// A contact of two objects. b1 and b2 are triangle numbers, or NONE.
template <typename S_>
struct Contact {
  using S = S_;
  static const int NONE = -1;
  const CollisionGeometry<S> *o1 = nullptr;
  const CollisionGeometry<S> *o2 = nullptr;
  intptr_t b1 = -1;
  intptr_t b2 = -1;
  Vector3<S> normal = Vector3<S>::Zero();
  Vector3<S> pos = Vector3<S>::Zero();
  S penetration_depth = 0;

  Contact() = default;
  Contact(const CollisionGeometry<S> *o1_, const CollisionGeometry<S> *o2_, intptr_t b1_, intptr_t b2_)
      : o1(o1_), o2(o2_), b1(b1_), b2(b2_) {}
  Contact(const CollisionGeometry<S> *o1_, const CollisionGeometry<S> *o2_, intptr_t b1_, intptr_t b2_,
          const Vector3<S> &pos_, const Vector3<S> &normal_, S depth_)
      : o1(o1_), o2(o2_), b1(b1_), b2(b2_), normal(normal_), pos(pos_), penetration_depth(depth_) {}
  bool operator<(const Contact &other) const { return b1 == other.b1 ? b2 < other.b2 : b1 < other.b1; }
};
template <typename S> const int Contact<S>::NONE;

// Costs are not computed; the type is there for signatures.
template <typename S_>
struct CostSource {
  using S = S_;
  Vector3<S> aabb_min = Vector3<S>::Zero(), aabb_max = Vector3<S>::Zero();
  S cost_density = 0, total_cost = 0;
  bool operator<(const CostSource &other) const { return total_cost > other.total_cost; }
};

template <typename S> struct CollisionResult;

// Request of a collision test. The solver and the guess select nothing.
template <typename S_>
struct CollisionRequest {
  using S = S_;
  std::size_t num_max_contacts;
  bool enable_contact;
  std::size_t num_max_cost_sources;
  bool enable_cost;
  bool use_approximate_cost;
  GJKSolverType gjk_solver_type;
  bool enable_cached_gjk_guess = false;
  Vector3<S> cached_gjk_guess = Vector3<S>::UnitX();
  S gjk_tolerance = 1e-6;

  CollisionRequest(std::size_t num_max_contacts_ = 1, bool enable_contact_ = false,
                   std::size_t num_max_cost_sources_ = 1, bool enable_cost_ = false,
                   bool use_approximate_cost_ = true, GJKSolverType gjk_solver_type_ = GST_LIBCCD, S tolerance = 1e-6)
      : num_max_contacts(num_max_contacts_), enable_contact(enable_contact_),
        num_max_cost_sources(num_max_cost_sources_), enable_cost(enable_cost_),
        use_approximate_cost(use_approximate_cost_), gjk_solver_type(gjk_solver_type_), gjk_tolerance(tolerance) {}
  bool isSatisfied(const CollisionResult<S> &result) const;
};

// Result of one collision test or of several: contacts are added.
template <typename S_>
struct CollisionResult {
  using S = S_;
  Vector3<S> cached_gjk_guess = Vector3<S>::UnitX();

  void addContact(const Contact<S> &contact) { contacts_.push_back(contact); }
  void addCostSource(const CostSource<S> &source, std::size_t most) {
    sources_.insert(source);
    while (sources_.size() > most) sources_.erase(--sources_.end());
  }
  bool isCollision() const { return !contacts_.empty(); }
  std::size_t numContacts() const { return contacts_.size(); }
  std::size_t numCostSources() const { return sources_.size(); }
  const Contact<S> &getContact(std::size_t i) const {
    return i < contacts_.size() ? contacts_[i] : contacts_.back();
  }
  void getContacts(std::vector<Contact<S>> &contacts) const { contacts = contacts_; }
  void getCostSources(std::vector<CostSource<S>> &sources) const { sources.assign(sources_.begin(), sources_.end()); }
  void clear() {
    contacts_.clear();
    sources_.clear();
  }

 private:
  std::vector<Contact<S>> contacts_;
  std::set<CostSource<S>> sources_;
};

template <typename S>
bool CollisionRequest<S>::isSatisfied(const CollisionResult<S> &result) const {
  return !enable_cost && result.isCollision() && num_max_contacts <= result.numContacts();
}

template <typename S> struct DistanceResult;

// Request of a distance query. Errors and tolerance are upper bounds; answers are as accurate as rounding permits.
template <typename S_>
struct DistanceRequest {
  using S = S_;
  bool enable_nearest_points;
  bool enable_signed_distance;
  S rel_err, abs_err, distance_tolerance;
  GJKSolverType gjk_solver_type;

  explicit DistanceRequest(bool enable_nearest_points_ = false, bool enable_signed_distance_ = false, S rel_err_ = 0,
                           S abs_err_ = 0, S distance_tolerance_ = 1e-6, GJKSolverType gjk_solver_type_ = GST_LIBCCD)
      : enable_nearest_points(enable_nearest_points_), enable_signed_distance(enable_signed_distance_),
        rel_err(rel_err_), abs_err(abs_err_), distance_tolerance(distance_tolerance_),
        gjk_solver_type(gjk_solver_type_) {}
  bool isSatisfied(const DistanceResult<S> &result) const { return result.min_distance <= 0; }
};

// Smallest distance of one query or of several, with the nearest points in world coordinates.
template <typename S_>
struct DistanceResult {
  using S = S_;
  static const int NONE = -1;
  S min_distance;
  Vector3<S> nearest_points[2] = {Vector3<S>::Zero(), Vector3<S>::Zero()};
  const CollisionGeometry<S> *o1 = nullptr;
  const CollisionGeometry<S> *o2 = nullptr;
  intptr_t b1 = -1;
  intptr_t b2 = -1;

  explicit DistanceResult(S min_distance_ = std::numeric_limits<S>::max()) : min_distance(min_distance_) {}
  void update(S distance, const CollisionGeometry<S> *a, const CollisionGeometry<S> *b, intptr_t i, intptr_t j) {
    if (!(min_distance > distance)) return;
    min_distance = distance;
    o1 = a, o2 = b, b1 = i, b2 = j;
  }
  void update(S distance, const CollisionGeometry<S> *a, const CollisionGeometry<S> *b, intptr_t i, intptr_t j,
              const Vector3<S> &p, const Vector3<S> &q) {
    if (!(min_distance > distance)) return;
    update(distance, a, b, i, j);
    nearest_points[0] = p;
    nearest_points[1] = q;
  }
  void update(const DistanceResult &other) {
    if (min_distance > other.min_distance) *this = other;
  }
  void clear() { *this = DistanceResult(); }
};
template <typename S> const int DistanceResult<S>::NONE;

using ContactPointf = ContactPoint<float>;
using ContactPointd = ContactPoint<double>;
using Contactf = Contact<float>;
using Contactd = Contact<double>;
using CollisionRequestf = CollisionRequest<float>;
using CollisionRequestd = CollisionRequest<double>;
using CollisionResultf = CollisionResult<float>;
using CollisionResultd = CollisionResult<double>;
using DistanceRequestf = DistanceRequest<float>;
using DistanceRequestd = DistanceRequest<double>;
using DistanceResultf = DistanceResult<float>;
using DistanceResultd = DistanceResult<double>;

}  // namespace fcl

#endif
