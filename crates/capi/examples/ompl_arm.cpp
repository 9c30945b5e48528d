// A planar arm round a post with OMPL: every edge of the path is proven collision-free.
//
//   c++ -std=c++14 ompl_arm.cpp $(pkg-config --cflags --libs noli ompl) -o ompl_arm && ./ompl_arm
#include <ompl/base/ProblemDefinition.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <chrono>
#include <cstdio>
#include <noli/ompl.hpp>

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

int main() {
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(1);
  auto robot = std::make_shared<noli::Robot>(noli::Robot::from_text(urdf()));
  const auto post = noli::Model::cylinder(1.0, 0.12);
  robot->set_obstacle("post", post.at(noli::translation(0.8, 0.5, 0)));
  const auto information = noli::ompl::space_information(robot);

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

  // Calls a second.
  const int count = 100000;
  auto sampler = information->allocStateSampler();
  ob::State *state = information->allocState();
  int valid = 0;
  double seconds = 0;
  for (int i = 0; i < count; ++i) {
    sampler->sampleUniform(state);
    const auto begin = Clock::now();
    valid += information->isValid(state);
    seconds += seconds_since(begin);
  }
  information->freeState(state);
  std::printf("%d of %d states are valid; %.2f million calls a second\n", valid, count, 1e-6 * count / seconds);
  return direct ? 3 : 0;
}
