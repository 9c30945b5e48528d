// Worlds of many bodies, and robots; included by noli.hpp.
#ifndef NOLI_WORLDS_HPP
#define NOLI_WORLDS_HPP

#include "../noli.hpp"

namespace noli {

// Bodies with poses, and the pairs to check.
class World : public detail::Owner<noli_world, noli_world_free> {
 public:
  World() : Owner(created()) {}
  uint64_t add(const std::string &name, const Placed &body) {
    uint64_t out = 0;
    detail::check(noli_world_add(handle(), name.c_str(), &body, &out));
    return out;
  }
  void remove(uint64_t body) { detail::check(noli_world_remove(handle(), body)); }
  void move(uint64_t body, const Pose &pose) { detail::check(noli_world_move(handle(), body, &pose)); }
  void set_pair(uint64_t a, uint64_t b, bool enabled) {
    detail::check(noli_world_set_pair(handle(), a, b, enabled));
  }
  void set_margin(double margin) { detail::check(noli_world_set_margin(handle(), margin)); }
  std::vector<Finding> check(const Context &context = Context()) const {
    std::vector<Finding> items(64);
    for (;;) {
      noli_finding_list list{items.data(), items.size(), 0, 0};
      detail::check(noli_world_check(context.handle(), handle(), &list));
      const bool fits = list.count <= items.size();
      items.resize(list.count);
      if (fits) return items;
    }
  }
  std::vector<std::array<uint64_t, 2>> colliding_pairs(const Context &context = Context()) const {
    std::vector<std::array<uint64_t, 2>> items(64);
    for (;;) {
      std::size_t count = 0;
      detail::check(noli_world_colliding_pairs(context.handle(), handle(), items[0].data(), items.size(), &count));
      const bool fits = count <= items.size();
      items.resize(count);
      if (fits) return items;
    }
  }

 private:
  static noli_world created() {
    noli_world out{0};
    detail::check(noli_world_new(&out));
    return out;
  }
};

// A robot with its obstacles. Configurations are rows of dof() numbers.
class Robot : public detail::Owner<noli_robot, noli_robot_free> {
 public:
  static Robot load(const std::string &urdf, const std::string &srdf = "", const std::string &packages = "",
                    const Pose &place = identity()) {
    noli_robot_files files{urdf.c_str(), srdf.empty() ? nullptr : srdf.c_str(),
                           packages.empty() ? nullptr : packages.c_str(), 0, place};
    noli_robot out{0};
    detail::check(noli_robot_load(&files, &out));
    return Robot(out);
  }
  // Text of a URDF, such as the parameter robot_description of ROS, and of an SRDF.
  static Robot from_text(const std::string &urdf, const std::string &srdf = "", const std::string &packages = "",
                         const Pose &place = identity()) {
    noli_robot_texts texts{urdf.c_str(), srdf.empty() ? nullptr : srdf.c_str(), nullptr,
                           packages.empty() ? nullptr : packages.c_str(), 0, place};
    noli_robot out{0};
    detail::check(noli_robot_from_text(&texts, &out));
    return Robot(out);
  }
  std::size_t dof() const {
    std::size_t out = 0;
    detail::check(noli_robot_dof(handle(), &out));
    return out;
  }
  std::vector<std::array<double, 2>> limits() const {
    std::vector<std::array<double, 2>> out(dof());
    detail::check(noli_robot_limits(handle(), out.empty() ? nullptr : out[0].data(), 2 * out.size()));
    return out;
  }
  void set_obstacle(const std::string &name, const Placed &body) {
    detail::check(noli_robot_set_obstacle(handle(), name.c_str(), &body));
  }
  void attach(const std::string &link, const std::string &name, const Placed &body) {
    detail::check(noli_robot_attach(handle(), link.c_str(), name.c_str(), &body));
  }
  void remove_body(const std::string &name) { detail::check(noli_robot_remove_body(handle(), name.c_str())); }
  void disable_pair(const std::string &a, const std::string &b) {
    detail::check(noli_robot_disable_pair(handle(), a.c_str(), b.c_str()));
  }
  std::vector<Verdict> check_states(const std::vector<double> &states) const {
    const std::size_t width = dof();
    if (width == 0 || states.size() % width != 0) wrong_size();
    std::vector<Verdict> out(states.size() / width);
    detail::check(noli_robot_check_states(handle(), states.data(), out.size(),
                                          reinterpret_cast<noli_verdict *>(out.data())));
    return out;
  }
  bool is_free(const std::vector<double> &state) const { return check_states(state).at(0) == Verdict::separated; }
  Edge check_edge(const std::vector<double> &from, const std::vector<double> &to) const {
    if (from.size() != dof() || to.size() != dof()) wrong_size();
    Edge out{};
    detail::check(noli_robot_check_edges(handle(), from.data(), to.data(), 1, &out));
    return out;
  }
  Clearance clearance(const std::vector<double> &state) const {
    Clearance out{};
    int64_t pair = 0;
    detail::check(noli_robot_clearance(handle(), state.data(), state.size(), &pair, &out));
    return out;
  }

 private:
  explicit Robot(noli_robot handle) noexcept : Owner(handle) {}
  static void wrong_size() {
    Expected<int>(NOLI_ERROR_VALUE, "a configuration has another size; give dof() numbers for each").value();
  }
};

}  // namespace noli

#endif
