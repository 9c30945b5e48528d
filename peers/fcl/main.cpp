// FCL 0.7 as a peer. Triangle pairs without contact points: the least FCL can be asked for.
#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <memory>

#include "../protocol.hpp"

namespace {

using fcl::Transform3d;

template <class Volume>
std::unique_ptr<fcl::BVHModel<Volume>> build(const peer::Mesh& mesh) {
  std::vector<fcl::Vector3d> vertices;
  for (const auto& v : mesh.vertices) vertices.emplace_back(v[0], v[1], v[2]);
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_unique<fcl::BVHModel<Volume>>();
  model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

Transform3d transform(const peer::Pose& pose) {
  Transform3d result = Transform3d::Identity();
  result.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data());
  result.translation() = Eigen::Map<const Eigen::Vector3d>(pose.translation.data());
  return result;
}

template <class Volume>
void run(const peer::Job& job, bool has_distance) {
  peer::print_header("fcl-" + job.volume, FCL_VERSION, [&] { return build<Volume>(job.a); });
  if (job.query == "build") return;
  const auto a = build<Volume>(job.a), b = build<Volume>(job.b);
  std::vector<Transform3d> poses;
  for (const auto& pose : job.poses) poses.push_back(transform(pose));
  const Transform3d identity = Transform3d::Identity();

  const auto contacts = [&](std::size_t most) {
    return [&, most](const Transform3d& pose) {
      const fcl::CollisionRequestd request(most, false);
      fcl::CollisionResultd result;
      fcl::collide(a.get(), identity, b.get(), pose, request, result);
      return static_cast<double>(result.numContacts());
    };
  };
  const auto distance = [&](const Transform3d& pose) {
    const fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    fcl::distance(a.get(), identity, b.get(), pose, request, result);
    return std::max(0.0, result.min_distance);  // overlapping: implementation-defined, mostly -1
  };
  // Linear motion of the origin with even rotation; the answer is 2 for a motion found free.
  const auto impact = [&](const std::pair<Transform3d, Transform3d>& motion) {
    const fcl::ContinuousCollisionRequestd request(1000, 1e-6, fcl::CCDM_LINEAR, fcl::GST_LIBCCD,
                                                   fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
    fcl::ContinuousCollisionResultd result;
    fcl::continuousCollide(a.get(), identity, identity, b.get(), motion.first, motion.second, request, result);
    return result.is_collide ? result.time_of_contact : 2.0;
  };
  std::vector<std::pair<Transform3d, Transform3d>> motions;
  for (std::size_t i = 0; i < job.starts.size(); ++i) motions.emplace_back(transform(job.starts[i]), poses[i]);
  if (job.query == "impact") peer::print_answers(motions, job.repeats, impact);
  else if (job.query == "overlap") peer::print_answers(poses, job.repeats, contacts(1));
  else if (job.query == "contacts") peer::print_answers(poses, job.repeats, contacts(SIZE_MAX));
  else if (job.query == "distance" && has_distance) peer::print_answers(poses, job.repeats, distance);
  else peer::print_unsupported(job.query + " with " + job.volume);
}

// The bodies as convex hulls of their vertices, which are all corners.
std::unique_ptr<fcl::Convexd> build_convex(const peer::Mesh& mesh) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const auto& v : mesh.vertices) vertices->emplace_back(v[0], v[1], v[2]);
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& t : mesh.triangles)
    for (const int number : {3, static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])}) faces->push_back(number);
  return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(mesh.triangles.size()), faces);
}

void run_convex(const peer::Job& job) {
  peer::print_header("fcl-" + job.volume, FCL_VERSION, [&] { return build_convex(job.a); });
  if (job.query == "build") return;
  const auto a = build_convex(job.a), b = build_convex(job.b);
  std::vector<Transform3d> poses;
  for (const auto& pose : job.poses) poses.push_back(transform(pose));
  const Transform3d identity = Transform3d::Identity();
  const auto overlap = [&](const Transform3d& pose) {
    const fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    fcl::collide(a.get(), identity, b.get(), pose, request, result);
    return static_cast<double>(result.numContacts());
  };
  const auto depth = [&](const Transform3d& pose) {
    const fcl::CollisionRequestd request(1, true);
    fcl::CollisionResultd result;
    fcl::collide(a.get(), identity, b.get(), pose, request, result);
    return result.numContacts() ? result.getContact(0).penetration_depth : 0.0;
  };
  const auto distance = [&](const Transform3d& pose) {
    const fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    fcl::distance(a.get(), identity, b.get(), pose, request, result);
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
    if (job.volume == "obbrss") run<fcl::OBBRSSd>(job, true);
    else if (job.volume == "kios") run<fcl::kIOSd>(job, true);
    else if (job.volume == "obb") run<fcl::OBBd>(job, false);
    else if (job.volume == "rss") run<fcl::RSSd>(job, true);
    else if (job.volume == "convex") run_convex(job);
    else throw std::runtime_error(job.volume + ": no such volume; obbrss, kios, obb, rss or convex");
  });
}
