// A program for FCL 0.7, unchanged but for its include: a manager of many objects, distances, and a continuous query.
//
//   c++ -std=c++14 fcl_scene.cpp $(pkg-config --cflags --libs noli) -I/usr/include/eigen3 -o scene && ./scene
#include <cstdio>
#include <noli/fcl.hpp>

using namespace fcl;

static Transform3d at(double x, double y, double z) {
  Transform3d tf = Transform3d::Identity();
  tf.translation() = Vector3d(x, y, z);
  return tf;
}

int main() {
  auto mesh = std::make_shared<BVHModel<OBBRSSd>>();
  generateBVHModel(*mesh, Sphered(0.5), Transform3d(Transform3d::Identity()), 16, 16);
  std::vector<std::unique_ptr<CollisionObjectd>> objects;
  DynamicAABBTreeCollisionManagerd manager;
  for (int i = 0; i < 10; ++i) {
    objects.emplace_back(new CollisionObjectd(mesh, at(0.9 * i, 0, 0)));
    manager.registerObject(objects.back().get());
  }
  manager.setup();

  DefaultCollisionData<double> collision;
  collision.request.num_max_contacts = 1000;
  manager.collide(&collision, DefaultCollisionFunction);

  CollisionObjectd box(std::make_shared<Boxd>(1, 1, 1), at(0, 2, 0));
  DefaultDistanceData<double> nearest;
  manager.distance(&box, &nearest, DefaultDistanceFunction);

  ContinuousCollisionRequestd request;
  ContinuousCollisionResultd impact;
  const Boxd cube(1, 1, 1);
  continuousCollide<double>(&cube, at(-5, 0, 0), at(5, 0, 0), &cube, at(0, 0, 0), at(0, 0, 0), request, impact);

  std::printf("contacts %zu, distance %.6f, time of contact %.4f\n", collision.result.numContacts(),
              nearest.result.min_distance, impact.time_of_contact);
  const bool right = collision.result.numContacts() > 0 && std::abs(nearest.result.min_distance - 1.0) < 0.02 &&
                     impact.is_collide && std::abs(impact.time_of_contact - 0.4) < 1e-4;
  return right ? 0 : 1;
}
