// The same loop in C++: joint values, poses of all geometry, then every collision pair.
//
//   c++ -std=c++14 arm.cpp $(pkg-config --cflags --libs noli) -o arm && ./arm
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <noli.hpp>

// Forward kinematics of a planar arm: capsules along the links, turning about z.
static std::vector<noli::Placed> place_links(const noli::Model &link, const std::array<double, 3> &q) {
  std::vector<noli::Placed> placed;
  double x = 0, y = 0, angle = 0;
  for (double turn : q) {
    angle += turn;
    const double half = angle / 2, s = std::sqrt(0.5);
    placed.push_back(link.at({x + 0.25 * std::cos(angle), y + 0.25 * std::sin(angle), 0, -std::sin(half) * s,
                              std::cos(half) * s, std::sin(half) * s, std::cos(half) * s}));
    x += 0.5 * std::cos(angle);
    y += 0.5 * std::sin(angle);
  }
  return placed;
}

int main() {
  const auto link = noli::Model::capsule(0.4, 0.05);
  const auto table = noli::Model::box(0.2, 3.0, 0.5);
  const auto post = noli::Model::cylinder(1.0, 0.1);
  const noli::Placed obstacles[] = {table.at(noli::translation(1.2, 0, 0)), post.at(noli::translation(-0.6, 0.6, 0))};

  const int steps = 500;
  int collisions = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    const auto links = place_links(link, {{0.02 * step, 0.9 * std::sin(0.05 * step), 1.3 * std::sin(0.03 * step)}});
    bool in_collision = false;
    for (const auto &a : links)
      for (const auto &b : obstacles) {
        if (noli::overlap(a, b) != noli::Verdict::separated)
          in_collision = true;
        else
          nearest = std::min(nearest, noli::clearance(a, b).at_most);
      }
    collisions += in_collision;
  }
  std::printf("%d of %d configurations collide; the nearest separated pair: %.6f\n", collisions, steps, nearest);

  try {
    noli::Model::sphere(-1);
    return 1;
  } catch (const noli::Error &error) {
    std::printf("%s\n", error.what());
  }
  const auto failed = noli::Model::try_file("no-such-file.stl");
  return failed.has_value() ? 1 : 0;
}
