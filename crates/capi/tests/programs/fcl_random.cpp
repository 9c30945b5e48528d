// Answers of noli/fcl.hpp on random pairs against the plain queries of the library, which use none of its shortcuts.
#include <noli/fcl.hpp>

#include <cstdio>
#include <random>

using namespace fcl;

static std::mt19937_64 generator(40);
static double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }

// A third on a grid and turned by quarters, where shapes touch.
static Transform3d random_transform() {
  Transform3d tf = Transform3d::Identity();
  if (generator() % 3 == 0) {
    const auto cell = [] { return double(int(generator() % 5) - 2); };
    tf.translation() = Vector3d(cell(), cell(), cell());
    Matrix3d quarter;
    quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    if (generator() % 2) tf.linear() = quarter;
    return tf;
  }
  tf.translation() = Vector3d(real(-2.5, 2.5), real(-2.5, 2.5), real(-2.5, 2.5));
  tf.linear() = Quaterniond(real(-1, 1), real(-1, 1), real(-1, 1), real(-1, 1)).normalized().toRotationMatrix();
  return tf;
}

int main() {
  auto surface = std::make_shared<BVHModel<OBBd>>();
  generateBVHModel(*surface, Boxd(2, 2, 2), Transform3d(Transform3d::Identity()));
  auto cloud = std::make_shared<BVHModel<AABBd>>();
  cloud->beginModel();
  for (int i = 0; i < 50; ++i) cloud->addVertex(Vector3d(real(-1, 1), real(-1, 1), real(-1, 1)));
  cloud->endModel();
  const std::vector<std::shared_ptr<CollisionGeometryd>> shapes = {
      std::make_shared<Boxd>(2, 2, 2), std::make_shared<Sphered>(1), std::make_shared<Capsuled>(0.5, 2),
      std::make_shared<Cylinderd>(1, 2), std::make_shared<Coned>(1, 2), std::make_shared<Ellipsoidd>(1, 0.5, 0.7),
      std::make_shared<TrianglePd>(Vector3d(0, 0, 0), Vector3d(2, 0, 0), Vector3d(0, 2, 0)), surface, cloud};
  int hits = 0, wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto &a = shapes[generator() % shapes.size()], &b = shapes[generator() % shapes.size()];
    const Transform3d tf1 = random_transform(), tf2 = random_transform();
    const noli_placed p = a->placed(tf1), q = b->placed(tf2);
    noli_verdict truth = NOLI_UNKNOWN;
    if (noli_overlap(noli_context{0}, &p, &q, &truth) != NOLI_OK) return 2;
    CollisionResultd plain, full;
    collide(a.get(), tf1, b.get(), tf2, CollisionRequestd(1, false), plain);
    collide(a.get(), tf1, b.get(), tf2, CollisionRequestd(100, true), full);
    DistanceResultd result;
    const double d = distance(a.get(), tf1, b.get(), tf2, DistanceRequestd(true, true), result);
    const bool hit = truth == NOLI_COLLIDING;
    hits += hit;
    if (plain.isCollision() != hit || full.isCollision() != hit || (d > 0) == hit) {
      std::printf("shapes %d and %d: %d, but %d %d %g\n", int(a->getNodeType()), int(b->getNodeType()), hit,
                  plain.isCollision(), full.isCollision(), d);
      ++wrong;
    }
    for (std::size_t k = 0; k < full.numContacts(); ++k)
      if (!(full.getContact(k).penetration_depth >= 0) || !full.getContact(k).pos.allFinite()) ++wrong;
  }
  // Half-spaces and planes against the farthest points of a box.
  for (int i = 0; i < 5000; ++i) {
    const Boxd box(2, 1, 0.5);
    const Transform3d tf = random_transform();
    const Vector3d n = Vector3d(real(-1, 1), real(-1, 1), real(-1, 1)).normalized();
    const double offset = real(-3, 3);
    const Halfspaced half(n, offset);
    const Planed plane(n, offset);
    double low = 1e9, high = -1e9;
    for (int vertex = 0; vertex < 8; ++vertex) {
      const Vector3d v(vertex & 1 ? 1 : -1, vertex & 2 ? 0.5 : -0.5, vertex & 4 ? 0.25 : -0.25);
      low = std::min(low, n.dot(tf * v) - offset);
      high = std::max(high, n.dot(tf * v) - offset);
    }
    if (std::abs(low) < 1e-9 || std::abs(high) < 1e-9) continue;
    const Transform3d here = Transform3d::Identity();
    CollisionResultd with_half, with_plane;
    collide<double>(&box, tf, &half, here, CollisionRequestd(1, true), with_half);
    collide<double>(&plane, here, &box, tf, CollisionRequestd(1, true), with_plane);
    wrong += with_half.isCollision() != (low < 0) || with_plane.isCollision() != (low < 0 && high > 0);
    if (with_half.isCollision()) wrong += std::abs(with_half.getContact(0).penetration_depth + low) > 1e-9;
    if (with_plane.isCollision())
      wrong += std::abs(with_plane.getContact(0).penetration_depth - std::min(-low, high)) > 1e-9;
    DistanceResultd result;
    const double d = distance<double>(&plane, here, &box, tf, DistanceRequestd(true, true), result);
    const double truth = low > 0 ? low : high < 0 ? -high : -std::min(-low, high);
    wrong += std::abs(d - truth) > 1e-9;
  }
  std::printf("%d of 20000 pairs collide, %d wrong\n", hits, wrong);
  return wrong == 0 && hits > 2000 && hits < 18000 ? 0 : 1;
}
