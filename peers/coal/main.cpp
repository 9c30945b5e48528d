// Coal 3 as a peer. Triangle pairs without contact points: the least Coal can be asked for.
// Coal calls meshes closer than about 1e-6 colliding; its distance is negative inside.
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>

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

}  // namespace

int main(int argc, char** argv) {
  return peer::guarded([&] {
    const peer::Job job = peer::read_job(argc, argv, "obbrss");
    if (job.volume == "obbrss") run<coal::OBBRSS>(job, true);
    else if (job.volume == "obb") run<coal::OBB>(job, false);
    else throw std::runtime_error(job.volume + ": no such volume; obbrss or obb");
  });
}
