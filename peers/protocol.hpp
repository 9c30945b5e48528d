// What every C++ peer shares: reading a job, timing, printing. The protocol is in README.md.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

struct Mesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// x -> rotation * x + translation; the rotation row by row.
struct Pose {
  std::array<double, 9> rotation;
  std::array<double, 3> translation;
};

struct Job {
  Mesh a, b;
  std::vector<Pose> poses, starts;
  std::string query;
  std::size_t repeats = 1;
  std::string volume;
};

inline Mesh read_mesh(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[8] = {};
  std::uint64_t counts[2] = {};
  file.read(magic, sizeof magic);
  file.read(reinterpret_cast<char*>(counts), sizeof counts);
  if (!file || std::string(magic, 8) != "NOLIRAW1") throw std::runtime_error(path + ": not a NOLIRAW1 mesh");
  Mesh mesh;
  mesh.vertices.resize(counts[0]);
  mesh.triangles.resize(counts[1]);
  file.read(reinterpret_cast<char*>(mesh.vertices.data()), counts[0] * sizeof mesh.vertices[0]);
  file.read(reinterpret_cast<char*>(mesh.triangles.data()), counts[1] * sizeof mesh.triangles[0]);
  if (!file) throw std::runtime_error(path + ": shorter than its counts say");
  return mesh;
}

// The quaternion matrix divided by |q|^2: a rotation for every q but 0.
inline Pose make_pose(const std::array<double, 7>& row) {
  const auto [x, y, z, w, tx, ty, tz] = row;
  const double s = 2.0 / (x * x + y * y + z * z + w * w);
  return {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
           s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
           s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)},
          {tx, ty, tz}};
}

inline std::vector<Pose> read_poses(const std::string& path, std::size_t limit) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Pose> poses;
  std::string line;
  std::getline(file, line);  // names of the columns
  while (poses.size() < limit && std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    std::array<double, 7> row;
    for (double& number : row) numbers >> number;
    if (!numbers) throw std::runtime_error(path + ": a row without seven numbers");
    poses.push_back(make_pose(row));
  }
  return poses;
}

// argv: JOB QUERY REPEATS [--limit N] [--volume NAME]
inline Job read_job(int argc, char** argv, const std::string& default_volume) {
  if (argc < 4) throw std::runtime_error("usage: JOB overlap|contacts|distance|depth|impact|build REPEATS [--limit N] [--volume NAME]");
  Job job;
  job.query = argv[2];
  job.repeats = std::stoul(argv[3]);
  job.volume = default_volume;
  std::size_t limit = SIZE_MAX;
  for (int i = 4; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) throw std::runtime_error(flag + ": a value is missing");
    if (flag == "--limit") limit = std::stoul(argv[i + 1]);
    else if (flag == "--volume") job.volume = argv[i + 1];
    else throw std::runtime_error(flag + ": no such flag");
  }
  const std::string folder = argv[1];
  job.a = read_mesh(folder + "/a.raw");
  job.b = read_mesh(folder + "/b.raw");
  job.poses = read_poses(folder + "/poses.csv", limit);
  if (job.query == "impact") {
    job.starts = read_poses(folder + "/starts.csv", limit);
    if (job.starts.size() != job.poses.size()) throw std::runtime_error("starts.csv and poses.csv differ in length");
  }
  return job;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The header line; the build time is the median of five builds of A, freeing not included.
template <class Build>
void print_header(const std::string& name, const std::string& version, Build&& build) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    const auto model = build();
    times.push_back(microseconds_since(start));
  }
  std::printf("peer %s %s %.1f\n", name.c_str(), version.c_str(), median(times));
}

// Warm-up pass, then `repeats` passes over all poses; one line per pose with the median time. With no repeats
// the only pass is timed.
// Passes rather than repetitions in place: a query finds the caches as its neighbours left them.
// Transforms are converted beforehand, so that only the query is timed.
template <class Transform, class Query>
void print_answers(const std::vector<Transform>& transforms, std::size_t repeats, Query&& query) {
  std::vector<double> answers(transforms.size());
  std::vector<std::vector<double>> times(transforms.size());
  if (repeats > 0)
    for (const Transform& transform : transforms) query(transform);
  for (std::size_t pass = 0; pass < std::max<std::size_t>(1, repeats); ++pass)
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      const auto start = Clock::now();
      answers[i] = query(transforms[i]);
      times[i].push_back(microseconds_since(start));
    }
  for (std::size_t i = 0; i < transforms.size(); ++i)
    std::printf("%.17g %.3f\n", answers[i], median(times[i]));
}

inline void print_unsupported(const std::string& why) { std::printf("unsupported %s\n", why.c_str()); }

// Runs `work`; an error becomes a message and exit code 2.
inline int guarded(const std::function<void()>& work) {
  try {
    work();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace peer
