// Coal 3 as a peer. Triangle pairs without contact points: the least Coal can be asked for.
// Coal calls meshes closer than about 1e-6 colliding; its distance is negative inside.
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>
#include <coal/shape/convex.h>

#include <memory>

#include "../protocol.hpp"

namespace {

using coal::Transform3s;

template <class Volume>
std::unique_ptr<coal::BVHModel<Volume>> build(const peer::Mesh& mesh) {
  std::vector<coal::Vec3s> vertices;
  for (const auto& v : mesh.vertices) vertices.emplace_back(v[0], v[1], v[2]);
  std::vector<coal::Triangle> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_unique<coal::BVHModel<Volume>>();
  model->beginModel(static_cast<unsigned>(triangles.size()), static_cast<unsigned>(vertices.size()));
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

Transform3s transform(const peer::Pose& pose) {
  const coal::Matrix3s rotation =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data());
  const coal::Vec3s translation = Eigen::Map<const Eigen::Vector3d>(pose.translation.data());
  return {rotation, translation};
}

template <class Volume>
void run(const peer::Job& job, bool has_distance) {
  peer::print_header("coal-" + job.volume, COAL_VERSION, [&] { return build<Volume>(job.a); });
  if (job.query == "build") return;
  const auto a = build<Volume>(job.a), b = build<Volume>(job.b);
  std::vector<Transform3s> poses;
  for (const auto& pose : job.poses) poses.push_back(transform(pose));
  const Transform3s identity = Transform3s::Identity();

  const auto contacts = [&](std::size_t most) {
    return [&, most](const Transform3s& pose) {
      coal::CollisionRequest request(coal::NO_REQUEST, most);
      // Only sharpens a by-product, the lower bound of the distance; without it Coal is a third
      // faster near contact and says the same.
      request.break_distance = 0;
      coal::CollisionResult result;
      coal::collide(a.get(), identity, b.get(), pose, request, result);
      return static_cast<double>(result.numContacts());
    };
  };
  const auto distance = [&](const Transform3s& pose) {
    const coal::DistanceRequest request;
    coal::DistanceResult result;
    coal::distance(a.get(), identity, b.get(), pose, request, result);
    return std::max(0.0, result.min_distance);
  };
  if (job.query == "overlap") peer::print_answers(poses, job.repeats, contacts(1));
  else if (job.query == "contacts") peer::print_answers(poses, job.repeats, contacts(SIZE_MAX));
  else if (job.query == "distance" && has_distance) peer::print_answers(poses, job.repeats, distance);
  else peer::print_unsupported(job.query + " with " + job.volume);
}

// The bodies as convex hulls of their vertices, which are all corners. Warm: from the last answer's direction.
std::unique_ptr<coal::Convex<coal::Triangle>> build_convex(const peer::Mesh& mesh) {
  auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
  for (const auto& v : mesh.vertices) vertices->emplace_back(v[0], v[1], v[2]);
  auto triangles = std::make_shared<std::vector<coal::Triangle>>();
  for (const auto& t : mesh.triangles) triangles->emplace_back(t[0], t[1], t[2]);
  const auto vertex_count = static_cast<unsigned>(vertices->size()), triangle_count = static_cast<unsigned>(triangles->size());
  return std::make_unique<coal::Convex<coal::Triangle>>(vertices, vertex_count, triangles, triangle_count);
}

void run_convex(const peer::Job& job, bool warm) {
  peer::print_header("coal-" + job.volume, COAL_VERSION, [&] { return build_convex(job.a); });
  if (job.query == "build") return;
  const auto a = build_convex(job.a), b = build_convex(job.b);
  std::vector<Transform3s> poses;
  for (const auto& pose : job.poses) poses.push_back(transform(pose));
  const Transform3s identity = Transform3s::Identity();
  coal::CollisionRequest collision(coal::NO_REQUEST, 1);
  coal::CollisionRequest contact(coal::CONTACT, 1);
  coal::DistanceRequest gap;
  gap.enable_signed_distance = false;
  for (coal::QueryRequest* request : {static_cast<coal::QueryRequest*>(&collision), static_cast<coal::QueryRequest*>(&contact),
                                      static_cast<coal::QueryRequest*>(&gap)})
    if (warm) request->gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;

  const auto overlap = [&](const Transform3s& pose) {
    coal::CollisionResult result;
    coal::collide(a.get(), identity, b.get(), pose, collision, result);
    if (warm) collision.updateGuess(result);
    return static_cast<double>(result.numContacts());
  };
  const auto depth = [&](const Transform3s& pose) {
    coal::CollisionResult result;
    coal::collide(a.get(), identity, b.get(), pose, contact, result);
    if (warm) contact.updateGuess(result);
    return result.numContacts() ? std::abs(result.getContact(0).penetration_depth) : 0.0;
  };
  const auto distance = [&](const Transform3s& pose) {
    coal::DistanceResult result;
    coal::distance(a.get(), identity, b.get(), pose, gap, result);
    if (warm) gap.updateGuess(result);
    return std::max(0.0, result.min_distance);
  };
  if (job.query == "overlap") peer::print_answers(poses, job.repeats, overlap);
  else if (job.query == "depth") peer::print_answers(poses, job.repeats, depth);
  else if (job.query == "distance") peer::print_answers(poses, job.repeats, distance);
  else peer::print_unsupported(job.query + " with " + job.volume);
}

}  // namespace

int main(int argc, char** argv) {
  return peer::guarded([&] {
    const peer::Job job = peer::read_job(argc, argv, "obbrss");
    if (job.volume == "obbrss") run<coal::OBBRSS>(job, true);
    else if (job.volume == "obb") run<coal::OBB>(job, false);
    else if (job.volume == "convex") run_convex(job, false);
    else if (job.volume == "convex-warm") run_convex(job, true);
    else throw std::runtime_error(job.volume + ": no such volume; obbrss, obb, convex or convex-warm");
  });
}
