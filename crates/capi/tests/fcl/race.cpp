// Times of one program with noli and with FCL: compiled twice, once with -DUSE_NOLI. Prints a line for each workload: its name,
// a checksum of the answers, and nanoseconds a query.
//
// The scene is that of coal issue 857: 21 meshes over OBBRSS (a pedestal, a pallet, twelve boxes, six links and a gripper of a
// robot that moves), asked for self-collision by a manager, for distances, and for one pair. Then two tori of 10,000 triangles.
#ifdef USE_NOLI
#include <noli/fcl.hpp>
#else
#include <fcl/fcl.h>
#endif

#include <time.h>

#include <cstdio>

using fcl::Transform3d;
using fcl::Vector3d;
using Mesh = fcl::BVHModel<fcl::OBBRSSd>;
using Object = fcl::CollisionObjectd;

static std::shared_ptr<Mesh> revolved(const std::vector<std::vector<Vector3d>> &rings, bool ends) {
  auto mesh = std::make_shared<Mesh>();
  const std::size_t n = rings[0].size();
  std::vector<Vector3d> points;
  std::vector<fcl::Triangle> triangles;
  for (const auto &ring : rings) points.insert(points.end(), ring.begin(), ring.end());
  const std::size_t count = ends ? rings.size() - 1 : rings.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t a = i * n + j, b = i * n + (j + 1) % n;
      const std::size_t c = (i + 1) % rings.size() * n + j, d = (i + 1) % rings.size() * n + (j + 1) % n;
      triangles.emplace_back(a, c, b);
      triangles.emplace_back(b, c, d);
    }
  if (ends)
    for (std::size_t i : {std::size_t(0), rings.size() - 1}) {
      Vector3d middle = Vector3d::Zero();
      for (const auto &p : rings[i]) middle += p / static_cast<double>(n);
      points.push_back(middle);
      for (std::size_t j = 0; j < n; ++j) triangles.emplace_back(points.size() - 1, i * n + j, i * n + (j + 1) % n);
    }
  mesh->beginModel();
  mesh->addSubModel(points, triangles);
  mesh->endModel();
  return mesh;
}

static std::shared_ptr<Mesh> cylinder(double radius, double height, int segments) {
  std::vector<std::vector<Vector3d>> rings(2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < segments; ++j) {
      const double angle = 2 * M_PI * j / segments;
      rings[i].emplace_back(radius * cos(angle), radius * sin(angle), (i - 0.5) * height);
    }
  return revolved(rings, true);
}

static std::shared_ptr<Mesh> box(double x, double y, double z) {
  auto mesh = std::make_shared<Mesh>();
  fcl::generateBVHModel(*mesh, fcl::Boxd(x, y, z), Transform3d(Transform3d::Identity()));
  return mesh;
}

static std::shared_ptr<Mesh> torus(double major, double minor, int around, int along) {
  std::vector<std::vector<Vector3d>> rings(around);
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < along; ++j) {
      const double u = 2 * M_PI * i / around, v = 2 * M_PI * j / along, r = major + minor * cos(v);
      rings[i].emplace_back(r * cos(u), r * sin(u), minor * sin(v));
    }
  return revolved(rings, false);
}

static Transform3d at(double x, double y, double z, double turn = 0, const Vector3d &axis = Vector3d::UnitZ()) {
  Transform3d tf = Transform3d::Identity();
  tf.translation() = Vector3d(x, y, z);
  tf.linear() = Eigen::AngleAxisd(turn, axis.normalized()).toRotationMatrix();
  return tf;
}

// CPU time of the program: other programs on the machine do not count.
static double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

static void line(const char *name, double sum, double start, double queries) {
  std::printf("%-28s %16.6f %12.1f\n", name, sum, (seconds() - start) / queries * 1e9);
}

struct Counted {
  std::size_t hits = 0;
};
static bool count_hit(Object *a, Object *b, void *data) {
  fcl::CollisionResultd result;
  fcl::collide(a, b, fcl::CollisionRequestd(1, false), result);
  static_cast<Counted *>(data)->hits += result.isCollision();
  return false;
}

struct Cell {
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<Object *> moving, fixed;
  void add(const std::shared_ptr<Mesh> &mesh, const Transform3d &tf, bool moves) {
    objects.emplace_back(new Object(mesh, tf));
    (moves ? moving : fixed).push_back(objects.back().get());
  }
  Cell() {
    add(cylinder(0.25, 0.8, 24), at(0, 0, 0.4), false);
    add(box(1.2, 1.0, 0.14), at(1.1, 0, 0.07), false);
    for (int i = 0; i < 12; ++i)
      add(box(0.28, 0.28, 0.28), at(0.65 + 0.3 * (i % 4), -0.3 + 0.3 * (i / 4), 0.29), false);
    for (int i = 0; i < 6; ++i) add(cylinder(0.09 - 0.008 * i, 0.3, 16), at(0, 0, 1), true);
    add(box(0.2, 0.2, 0.1), at(0, 0, 1), true);
  }
  // An arm that sweeps over the pallet and dips between the boxes.
  void move(int step) {
    const double turn = 0.9 * sin(0.011 * step), reach = 0.75 + 0.35 * sin(0.017 * step), lift = 0.55 + 0.35 * cos(0.023 * step);
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const double share = (i + 1.0) / moving.size(), r = 0.15 + (reach - 0.15) * share + 0.25 * share;
      const double z = 1.0 + 0.35 * sin(M_PI * share) - (1.0 - lift) * share * share;
      moving[i]->setTransform(at(r * cos(turn), r * sin(turn), z, 0.3 + 1.2 * share, Vector3d(-sin(turn), cos(turn), 0.1)));
      moving[i]->computeAABB();
    }
  }
};

static void cell_workloads(int steps) {
  Cell cell;
  fcl::DynamicAABBTreeCollisionManagerd manager;
  for (auto &object : cell.objects) manager.registerObject(object.get());
  manager.setup();
  Counted counted;
  manager.collide(&counted, count_hit);
  counted.hits = 0;
  double start = seconds();
  for (int i = 0; i < steps; ++i) {
    cell.move(i);
    manager.update();
    manager.collide(&counted, count_hit);
  }
  line("857 self-collide, step", static_cast<double>(counted.hits), start, steps);
  double sum = 0;
  start = seconds();
  for (int i = 0; i < steps; i += 10) {
    cell.move(i);
    for (auto *a : cell.moving)
      for (auto *b : cell.fixed) {
        fcl::DistanceResultd result;
        sum += std::max(0.0, fcl::distance(a, b, fcl::DistanceRequestd(false), result));
      }
  }
  line("857 distance, pair", sum, start, steps / 10.0 * cell.moving.size() * cell.fixed.size());
  std::size_t hits = 0;
  start = seconds();
  for (int i = 0; i < steps; ++i) {
    cell.move(i);
    for (int j = 2; j < 14; ++j) {
      fcl::CollisionResultd result;
      fcl::collide(cell.moving.back(), cell.fixed[j], fcl::CollisionRequestd(1, false), result);
      hits += result.isCollision();
    }
  }
  line("857 gripper-box, pair", static_cast<double>(hits), start, steps * 12.0);
}

static void tori(int poses) {
  const auto mesh = torus(1.0, 0.4, 100, 50);
  Object a(mesh, at(0, 0, 0)), b(mesh, at(0, 0, 0));
  const auto place = [&](int i) {
    b.setTransform(at(2.6 * sin(1.7 * i), 2.6 * cos(2.3 * i), 1.1 * sin(3.1 * i), 0.37 * i, Vector3d(sin(i), cos(2 * i), 0.3)));
  };
  std::size_t hits = 0;
  fcl::CollisionResultd first;
  fcl::collide(&a, &b, fcl::CollisionRequestd(1, false), first);
  double start = seconds();
  for (int i = 0; i < poses; ++i) {
    place(i);
    fcl::CollisionResultd result;
    fcl::collide(&a, &b, fcl::CollisionRequestd(1, false), result);
    hits += result.isCollision();
  }
  line("tori collide, pose", static_cast<double>(hits), start, poses);
  double sum = 0;
  start = seconds();
  for (int i = 0; i < poses / 10; ++i) {
    place(i);
    fcl::DistanceResultd result;
    sum += std::max(0.0, fcl::distance(&a, &b, fcl::DistanceRequestd(false), result));
  }
  line("tori distance, pose", sum, start, poses / 10);
}

int main() {
  cell_workloads(2000);
  tori(2000);
  return 0;
}
