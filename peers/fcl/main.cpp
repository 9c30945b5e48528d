// FCL 0.7 as a peer. Triangle pairs without contact points: the least FCL can be asked for.
#include <fcl/config.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

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

// Workload W5, as noli's `Crowd` makes it: the same numbers from the same seed.
struct Random {
  std::uint64_t state = 11;
  double unit() {
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
  }
  fcl::Vector3d vector(double low, double high) {
    fcl::Vector3d v;
    for (int k = 0; k < 3; ++k) v[k] = low + (high - low) * unit();
    return v;
  }
};

struct Found {
  const fcl::CollisionObjectd* self;
  std::vector<std::uint32_t> numbers;
};

bool note(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
  auto& found = *static_cast<Found*>(data);
  const auto* other = a == found.self ? b : a;
  if (other != found.self && a->getAABB().overlap(b->getAABB()))
    found.numbers.push_back(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(other->getUserData())));
  return false;
}

// The manager is told of what moved and asked about that alone; boxes are set outright, so no shape is looked at.
void crowd(std::size_t count, std::size_t steps) {
  Random random;
  const double side = 2.2 * std::cbrt(static_cast<double>(count));
  const auto shape = std::make_shared<fcl::Boxd>(1.0, 1.0, 1.0);
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  std::vector<fcl::CollisionObjectd*> all;
  for (std::size_t i = 0; i < count; ++i) {
    const fcl::Vector3d size = random.vector(0.5, 1.5), min = random.vector(0.0, side);
    objects.push_back(std::make_unique<fcl::CollisionObjectd>(shape));
    objects[i]->setUserData(reinterpret_cast<void*>(i));
    const_cast<fcl::AABBd&>(objects[i]->getAABB()) = fcl::AABBd(min, min + size);
    all.push_back(objects[i].get());
  }
  fcl::DynamicAABBTreeCollisionManagerd manager;
  manager.registerObjects(all);
  manager.setup();
  const auto find = [&](std::uint32_t number) {
    Found found{all[number], {}};
    manager.collide(all[number], &found, note);
    std::sort(found.numbers.begin(), found.numbers.end());
    return std::move(found.numbers);
  };
  std::vector<std::vector<std::uint32_t>> neighbours;
  for (std::size_t i = 0; i < count; ++i) neighbours.push_back(find(static_cast<std::uint32_t>(i)));
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<std::uint32_t> moved;
    const auto pick = [&] { return static_cast<std::uint32_t>(random.unit() * static_cast<double>(count)); };
    const auto place = [&](std::uint32_t number, const fcl::AABBd& box) {
      const_cast<fcl::AABBd&>(all[number]->getAABB()) = box;
      moved.push_back(number);
    };
    for (std::size_t i = 0; i < count / 10; ++i) {
      const auto number = pick();
      const fcl::Vector3d by = random.vector(-0.2, 0.2);
      const fcl::AABBd box = all[number]->getAABB();
      place(number, fcl::AABBd(box.min_ + by, box.max_ + by));
    }
    for (std::size_t i = 0; i < count / 1000; ++i) {
      const auto number = pick();
      const fcl::Vector3d min = random.vector(0.0, side);
      const fcl::AABBd box = all[number]->getAABB();
      place(number, fcl::AABBd(min, min + (box.max_ - box.min_)));
    }
    const auto start = std::chrono::steady_clock::now();
    std::sort(moved.begin(), moved.end());
    moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    std::vector<fcl::CollisionObjectd*> changed;
    for (const auto number : moved) changed.push_back(all[number]);
    manager.update(changed);
    std::vector<std::vector<std::uint32_t>> found;
    for (const auto number : moved) found.push_back(find(number));
    std::size_t begun = 0, ended = 0;
    const auto has = [](const std::vector<std::uint32_t>& list, std::uint32_t x) { return std::binary_search(list.begin(), list.end(), x); };
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const auto number = moved[i];
      const auto old = std::exchange(neighbours[number], found[i]);
      const auto change = [&](const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& against, bool add) {
        for (const auto other : from) {
          const bool also = has(moved, other);
          if (has(against, other) || (also && other < number)) continue;
          ++(add ? begun : ended);
          if (also) continue;
          auto& list = neighbours[other];
          const auto at = std::lower_bound(list.begin(), list.end(), number);
          if (add) list.insert(at, number);
          else list.erase(at);
        }
      };
      change(old, found[i], false);
      change(found[i], old, true);
    }
    const std::chrono::duration<double, std::micro> micros = std::chrono::steady_clock::now() - start;
    std::printf("%zu %zu %.3f\n", begun, ended, micros.count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "w5") {
    crowd(std::stoul(argv[2]), std::stoul(argv[3]));
    return 0;
  }
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
