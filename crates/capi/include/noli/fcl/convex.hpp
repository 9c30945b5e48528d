// Convex polytopes.
#ifndef NOLI_FCL_CONVEX_HPP
#define NOLI_FCL_CONVEX_HPP

#include "shapes.hpp"

namespace fcl {

// Convex polytope: vertices, and faces as lists of their number of vertices and their vertex numbers. Queries use the
// convex hull of the vertices; volume and inertia use the faces.
template <typename S_>
class Convex : public ShapeBase<S_> {
 public:
  using S = S_;
  Convex(const std::shared_ptr<const std::vector<Vector3<S>>> &vertices, int num_faces,
         const std::shared_ptr<const std::vector<int>> &faces, bool throw_if_invalid = false)
      : vertices_(vertices), num_faces_(num_faces), faces_(faces) {
    interior_.setZero();
    for (const auto &v : *vertices_) interior_ += v;
    if (!vertices_->empty()) interior_ /= static_cast<S>(vertices_->size());
    if (throw_if_invalid) check();
  }
  NODE_TYPE getNodeType() const override { return GEOM_CONVEX; }
  void computeLocalAABB() override {
    AABB<S> box;
    for (const auto &v : *vertices_) box += v;
    this->set_local(box);
  }
  const std::vector<Vector3<S>> &getVertices() const { return *vertices_; }
  int getFaceCount() const { return num_faces_; }
  const std::vector<int> &getFaces() const { return *faces_; }
  const Vector3<S> &getInteriorPoint() const { return interior_; }
  // The vertex that is farthest along a direction.
  const Vector3<S> &findExtremeVertex(const Vector3<S> &v_C) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < vertices_->size(); ++i)
      if (v_C.dot((*vertices_)[i]) > v_C.dot((*vertices_)[best])) best = i;
    return (*vertices_)[best];
  }

  S computeVolume() const override { return static_cast<S>(moments().volume); }
  Vector3<S> computeCOM() const override {
    const Moments m = moments();
    return (interior_.template cast<double>() + m.first / m.volume).template cast<S>();
  }
  // Inertia about the origin for a mass of 1, unlike that of other shapes, as FCL has it.
  Matrix3<S> computeMomentofInertia() const override {
    const Moments m = moments();
    const Vector3<double> o = interior_.template cast<double>();
    return inertia((m.second + o * m.first.transpose() + m.first * o.transpose()) / m.volume + o * o.transpose());
  }
  Matrix3<S> computeMomentofInertiaRelatedToCOM() const override {
    const Moments m = moments();
    const Vector3<double> c = m.first / m.volume;
    return inertia(m.second / m.volume - c * c.transpose());
  }
  const detail::CachedModel::Entry &entry() const override {
    return this->cached({}, [&] {
      std::vector<double> points;
      for (const auto &v : *vertices_) points.insert(points.end(), {v[0], v[1], v[2]});
      return ::noli::Model::convex(points);
    });
  }

 private:
  // Volume, first and second moments about the interior point, of tetrahedra between it and the triangles of all faces.
  struct Moments {
    double volume;
    Vector3<double> first;
    Matrix3<double> second;
  };
  Moments moments() const {
    Moments m{0, Vector3<double>::Zero(), Matrix3<double>::Zero()};
    each_face([&](const int *face, int count) {
      const auto at = [&](int i) {
        return Vector3<double>((*vertices_)[face[i]].template cast<double>() - interior_.template cast<double>());
      };
      for (int i = 1; i + 1 < count; ++i) {
        const Vector3<double> a = at(0), b = at(i), c = at(i + 1), sum = a + b + c;
        const double six = a.cross(b).dot(c);
        m.volume += six;
        m.first += six / 24 * sum;
        m.second += six / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
      }
    });
    m.volume /= 6;
    return m;
  }
  static Matrix3<S> inertia(const Matrix3<double> &second) {
    return (second.trace() * Matrix3<double>::Identity() - second).template cast<S>();
  }
  template <typename F>
  void each_face(F f) const {
    const std::vector<int> &faces = *faces_;
    std::size_t at = 0;
    for (int i = 0; i < num_faces_ && at < faces.size(); ++i) {
      const int count = faces[at];
      f(faces.data() + at + 1, count);
      at += static_cast<std::size_t>(count) + 1;
    }
  }
  // Every edge must have two faces, and every vertex a face.
  void check() const {
    std::map<std::pair<int, int>, int> edges;
    std::set<int> used;
    each_face([&](const int *face, int count) {
      for (int i = 0; i < count; ++i) {
        const int a = face[i], b = face[(i + 1) % count];
        ++edges[{std::min(a, b), std::max(a, b)}];
        used.insert(a);
      }
    });
    std::string wrong;
    for (const auto &edge : edges)
      if (edge.second != 2)
        wrong += "\n  Edge between vertices " + std::to_string(edge.first.first) + " and " +
                 std::to_string(edge.first.second) + " is shared by " + std::to_string(edge.second) +
                 " faces (should be 2)";
    if (used.size() != vertices_->size()) wrong += "\n  Not all vertices are connected.";
    for (std::size_t i = 0; i < vertices_->size(); ++i)
      if (!used.count(static_cast<int>(i)))
        wrong += "\n  Vertex " + std::to_string(i) + " is not included in any faces.";
    if (!wrong.empty()) throw std::runtime_error("Found errors in the Convex mesh:" + wrong);
  }

  std::shared_ptr<const std::vector<Vector3<S>>> vertices_;
  int num_faces_;
  std::shared_ptr<const std::vector<int>> faces_;
  Vector3<S> interior_;
};

using Convexf = Convex<float>;
using Convexd = Convex<double>;

}  // namespace fcl

#endif
