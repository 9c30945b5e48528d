// State and motion validity for OMPL 1.5 and later, header only: edges are proven collision-free at every moment.
//
// The state space is a RealVectorStateSpace with one dimension for each independent joint of the robot, in its order.
// Link libompl and noli_c.
#ifndef NOLI_OMPL_HPP
#define NOLI_OMPL_HPP

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include <memory>

#include "../noli.hpp"

namespace noli {
namespace ompl {

namespace detail {
// The numbers of a state; they are stored one after the other.
inline const double *numbers(const ::ompl::base::State *state) {
  return state->as<::ompl::base::RealVectorStateSpace::StateType>()->values;
}
}  // namespace detail

// Exact check of all pairs of the robot that are not disabled. Undecided states count as invalid.
class StateValidityChecker : public ::ompl::base::StateValidityChecker {
 public:
  StateValidityChecker(const ::ompl::base::SpaceInformationPtr &information, std::shared_ptr<const Robot> robot)
      : ::ompl::base::StateValidityChecker(information), robot_(std::move(robot)) {
    specs_.clearanceComputationType = ::ompl::base::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE;
  }
  bool isValid(const ::ompl::base::State *state) const override {
    if (!si_->satisfiesBounds(state)) return false;
    noli_verdict verdict = NOLI_UNKNOWN;
    noli::detail::check(noli_robot_check_states(robot_->handle(), detail::numbers(state), 1, &verdict));
    return verdict == NOLI_SEPARATED;
  }
  // Lower bound of the distance of all checked pairs; 0 in collision.
  double clearance(const ::ompl::base::State *state) const override {
    noli_clearance_result out{};
    int64_t pair = 0;
    const std::size_t dof = si_->getStateSpace()->getDimension();
    noli::detail::check(noli_robot_clearance(robot_->handle(), detail::numbers(state), dof, &pair, &out));
    return out.at_least;
  }

 private:
  std::shared_ptr<const Robot> robot_;
};

// A motion is valid only if the straight joint motion is proven collision-free. The resolution of OMPL's discrete
// validator selects nothing.
class MotionValidator : public ::ompl::base::MotionValidator {
 public:
  MotionValidator(const ::ompl::base::SpaceInformationPtr &information, std::shared_ptr<const Robot> robot)
      : ::ompl::base::MotionValidator(information), robot_(std::move(robot)) {}
  bool checkMotion(const ::ompl::base::State *from, const ::ompl::base::State *to) const override {
    const bool is_free = si_->satisfiesBounds(to) && proven(from, to).status == NOLI_SEPARATED;
    ++(is_free ? valid_ : invalid_);
    return is_free;
  }
  bool checkMotion(const ::ompl::base::State *from, const ::ompl::base::State *to,
                   std::pair<::ompl::base::State *, double> &last_valid) const override {
    const Edge edge = proven(from, to);
    const bool is_free = edge.status == NOLI_SEPARATED && si_->satisfiesBounds(to);
    ++(is_free ? valid_ : invalid_);
    if (is_free) return true;
    // Halve the free share until it is proven: the contact may be at its very end.
    double share = edge.status == NOLI_SEPARATED ? 0 : edge.at;
    ::ompl::base::State *between = si_->allocState();
    for (int halving = 0; halving < 20 && share > 0; ++halving) {
      si_->getStateSpace()->interpolate(from, to, share, between);
      if (proven(from, between).status == NOLI_SEPARATED) break;
      share = halving == 19 ? 0 : share / 2;
    }
    last_valid.second = share;
    if (last_valid.first != nullptr) si_->getStateSpace()->interpolate(from, to, share, last_valid.first);
    si_->freeState(between);
    return false;
  }

 private:
  Edge proven(const ::ompl::base::State *from, const ::ompl::base::State *to) const {
    Edge out{};
    noli::detail::check(
        noli_robot_check_edges(robot_->handle(), detail::numbers(from), detail::numbers(to), 1, &out));
    return out;
  }
  std::shared_ptr<const Robot> robot_;
};

// The joint space of a robot within its limits, with both validators. Joints without limits are refused.
inline ::ompl::base::SpaceInformationPtr space_information(std::shared_ptr<const Robot> robot) {
  const auto limits = robot->limits();
  auto space = std::make_shared<::ompl::base::RealVectorStateSpace>(limits.size());
  ::ompl::base::RealVectorBounds bounds(limits.size());
  for (std::size_t joint = 0; joint < limits.size(); ++joint) {
    if (!(limits[joint][0] >= std::numeric_limits<double>::lowest() &&
          limits[joint][1] <= std::numeric_limits<double>::max()))
      Expected<int>(NOLI_ERROR_VALUE, "joint " + std::to_string(joint) + " has no limits; give it some").value();
    bounds.setLow(joint, limits[joint][0]);
    bounds.setHigh(joint, limits[joint][1]);
  }
  space->setBounds(bounds);
  auto information = std::make_shared<::ompl::base::SpaceInformation>(space);
  information->setStateValidityChecker(std::make_shared<StateValidityChecker>(information, robot));
  information->setMotionValidator(std::make_shared<MotionValidator>(information, robot));
  information->setup();
  return information;
}

}  // namespace ompl
}  // namespace noli

#endif
