// A planar arm round a post with OMPL: every edge of the path is proven collision-free.
//
//   c++ -std=c++14 ompl_arm.cpp $(pkg-config --cflags --libs noli ompl) -o ompl_arm && ./ompl_arm
//
// `./ompl_arm URDF SRDF PACKAGES` measures the calls a second of another robot with the post.
#include <ompl/base/ProblemDefinition.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <noli/ompl.hpp>
#include <string>
#include <vector>

namespace ob = ompl::base;
using Clock = std::chrono::steady_clock;

// Three boxes in a row that turn about z.
static std::string urdf() {
  std::string text = "<robot name='arm'><link name='base'/>";
  for (int i = 1; i <= 3; ++i) {
    const std::string n = std::to_string(i), parent = i == 1 ? "base" : "link" + std::to_string(i - 1);
    text += "<link name='link" + n + "'><collision><origin xyz='0.25 0 0'/><geometry><box size='0.4 0.06 0.06'/>"
            "</geometry></collision></link><joint name='joint" + n + "' type='revolute'><parent link='" + parent +
            "'/><child link='link" + n + "'/><origin xyz='" + (i == 1 ? "0" : "0.5") +
            " 0 0'/><axis xyz='0 0 1'/><limit lower='-2.8' upper='2.8' effort='1' velocity='1'/></joint>";
  }
  return text + "</robot>";
}

static double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Plans round the post; 0 if every edge of the path is proven and the straight one is blocked.
static int plan(const ob::SpaceInformationPtr &information) {
  ob::ScopedState<ob::RealVectorStateSpace> start(information), goal(information);
  start->values[0] = -0.5, start->values[1] = 0, start->values[2] = 0;
  goal->values[0] = 1.4, goal->values[1] = 0, goal->values[2] = 0;
  auto problem = std::make_shared<ob::ProblemDefinition>(information);
  problem->setStartAndGoalStates(start, goal);
  ompl::geometric::RRTConnect planner(information);
  planner.setProblemDefinition(problem);
  planner.setup();
  if (planner.ob::Planner::solve(20.0) != ob::PlannerStatus::EXACT_SOLUTION) return 1;
  const auto &path = *problem->getSolutionPath()->as<ompl::geometric::PathGeometric>();
  for (std::size_t i = 0; i + 1 < path.getStateCount(); ++i)
    if (!information->checkMotion(path.getState(i), path.getState(i + 1))) return 2;
  const bool direct = information->checkMotion(start.get(), goal.get());
  std::printf("path of %zu states, every edge proven; the straight edge is %s\n", path.getStateCount(),
              direct ? "free" : "blocked");
  return direct ? 3 : 0;
}

// Random states, and motions of a twentieth of the space from valid states, by the validators as a planner calls them.
static void calls_a_second(const ob::SpaceInformationPtr &information) {
  const int count = 100000;
  std::vector<ob::State *> states(count);
  information->allocStates(states);
  const auto sampler = information->allocStateSampler();
  for (auto *state : states) sampler->sampleUniform(state);
  std::vector<ob::State *> valid;
  for (auto *state : states)
    if (information->isValid(state)) valid.push_back(state);
  // Asked again: tables of the robot are made on the way.
  std::size_t again = 0;
  const auto of_states = Clock::now();
  for (auto *state : states) again += information->isValid(state);
  const double for_states = seconds_since(of_states);
  std::printf("%zu of %d states are valid; %.3f million calls a second\n", again, count, 1e-6 * count / for_states);

  const std::size_t motions = std::min<std::size_t>(valid.size(), 20000);
  std::vector<ob::State *> ends(motions);
  information->allocStates(ends);
  for (std::size_t i = 0; i < motions; ++i)
    sampler->sampleUniformNear(ends[i], valid[i], 0.05 * information->getMaximumExtent());
  const auto of_motions = Clock::now();
  std::size_t proven = 0;
  for (std::size_t i = 0; i < motions; ++i) proven += information->checkMotion(valid[i], ends[i]);
  const double for_motions = seconds_since(of_motions);
  if (motions > 0)
    std::printf("%zu of %zu motions are proven free; %.3f million calls a second\n", proven, motions,
                1e-6 * motions / for_motions);
  information->freeStates(ends);
  information->freeStates(states);
}

// Without arguments the planar arm; `URDF [SRDF [PACKAGES]]` measures the calls of another robot.
int main(int count, char **arguments) {
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(1);
  const auto argument = [&](int k) { return std::string(k < count ? arguments[k] : ""); };
  const bool is_given = count > 1;
  auto robot = std::make_shared<noli::Robot>(is_given ? noli::Robot::load(argument(1), argument(2), argument(3))
                                                      : noli::Robot::from_text(urdf()));
  const auto post = noli::Model::cylinder(1.0, 0.12);
  robot->set_obstacle("post", post.at(noli::translation(0.8, 0.5, 0)));
  const auto information = noli::ompl::space_information(robot);
  const int failure = is_given ? 0 : plan(information);
  calls_a_second(information);
  return failure;
}
