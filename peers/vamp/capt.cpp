// CAPT of VAMP alone, against all points one by one: the cases of its issue 80 and its pull request 122, rebuilt.
//
//     g++ -std=c++17 -O1 -march=native -mavx2 -I VAMP/src/impl -I PDQSORT -I /usr/include/eigen3 peers/vamp/capt.cpp
//
// VAMP is its source archive, PDQSORT a folder with `pdqsort.h`. Spheres are queried by both forms of the query. A miss is
// a sphere that overlaps a point's by more than 10 micrometres while CAPT reports no collision; a false alarm is the reverse.

#include <cstdio>
#include <random>

#include <vamp/collision/capt.hh>
#include <vamp/robots/fetch.hh>

using Vector = vamp::FloatVector<>;
using Point = vamp::collision::Point;
using Tree = vamp::collision::CAPT;

// By how much the spheres of the nearest point and of the query overlap.
static double depth_of(const std::vector<Point> &points, const Point &center, double reach)
{
    double deepest = -1e9;
    for (const auto &p : points)
    {
        const double x = p[0] - double(center[0]), y = p[1] - double(center[1]), z = p[2] - double(center[2]);
        deepest = std::max(deepest, reach - std::sqrt(x * x + y * y + z * z));
    }
    return deepest;
}

static bool both_collide(const Tree &tree, const Point &center, float radius, bool &differ)
{
    const std::array<Vector, 3> centers{Vector::fill(center[0]), Vector::fill(center[1]), Vector::fill(center[2])};
    const bool single = tree.collides(center, radius), vector = tree.collides_simd(centers, Vector::fill(radius));
    differ |= single != vector;
    return vector;
}

// Pull request 122: points of the lower half near a split are lost for the upper half, as the half is scanned from its far
// end. Two of four points suffice.
static void split()
{
    const std::vector<Point> points{{0.0F, 0.0F, 0.0F}, {0.9F, 0.0F, 0.0F}, {1.1F, 1.0F, 0.0F}, {2.0F, 1.0F, 0.0F}};
    const Tree tree(points, 0.05F, 0.3F, 0.01F);
    for (const float x : {0.7F, 0.8F, 0.95F, 1.0F, 1.05F, 1.1F, 1.15F, 1.18F})
    {
        bool differ = false;
        const Point center{x, 0.0F, 0.0F};
        const bool found = both_collide(tree, center, 0.3F, differ);
        const double depth = depth_of(points, center, 0.31);
        std::printf("  sphere of 0.3 at x = %.2f: %.3f deep, CAPT %s%s\n", x, depth, found ? "collides" : "free",
                    found == (depth > 0.0) ? "" : "  WRONG");
    }
}

static void random_clouds(std::size_t count, int clouds)
{
    std::mt19937 engine(122);
    std::uniform_real_distribution<float> even(0.0F, 1.0F);
    long misses = 0, alarms = 0, queries = 0;
    bool differ = false;
    double worst = 0.0;
    for (int k = 0; k < clouds; ++k)
    {
        std::vector<Point> points(count);
        for (auto &p : points) { p = {even(engine), even(engine), even(engine)}; }
        const Tree tree(points, 0.02F, 0.12F, 0.01F);
        for (int q = 0; q < 200; ++q, ++queries)
        {
            const Point center{even(engine), even(engine), even(engine)};
            const float radius = 0.02F + 0.1F * even(engine);
            const double depth = depth_of(points, center, radius + 0.01);
            const bool found = both_collide(tree, center, radius, differ);
            misses += !found && depth > 1e-5;
            worst = !found ? std::max(worst, depth) : worst;
            alarms += found && depth < -1e-5;
        }
    }
    std::printf("  %zu points: %ld queries, %ld misses (deepest %.4f), %ld false alarms, forms %s\n", count, queries, misses,
                worst, alarms, differ ? "differ" : "agree");
}

// Issue 80: the Fetch in the configuration of the report, its arm in a table top. The file of the report is not public text;
// here the table is a grid of points at heights through the arm.
static void table()
{
    using Fetch = vamp::robots::Fetch;
    const std::array<float, 8> q{0.04290556F, 0.32112008F, -0.04714277F, -1.4279954F,
                                 -1.2120769F, -2.0327935F, -1.4778948F,  -2.3220448F};
    Fetch::ConfigurationBlock<8> block;
    for (std::size_t k = 0; k < 8; ++k) { block[k] = q[k]; }
    Fetch::Spheres<8> spheres;
    Fetch::sphere_fk<8>(block, spheres);
    long tables = 0, hidden = 0, lost = 0, hits = 0;
    for (int height = 0; height < 20; ++height)
    {
        for (const float spacing : {0.02F, 0.03F, 0.05F})
        {
            std::vector<Point> points;
            for (float x = 0.4F; x < 1.2F; x += spacing)
            {
                for (float y = -0.5F; y < 0.7F; y += spacing) { points.push_back({x, y, 0.6F + 0.03F * height}); }
            }
            const Tree tree(points, Fetch::min_radius, Fetch::max_radius, 0.0025F);
            long own_hits = 0, own_lost = 0;
            bool differ = false;
            for (std::size_t k = 0; k < Fetch::n_spheres; ++k)
            {
                const auto at = [&](const auto &rows) { return rows[k].to_array()[0]; };
                const Point center{at(spheres.x), at(spheres.y), at(spheres.z)};
                const float radius = at(spheres.r);
                if (depth_of(points, center, radius + 0.0025) <= 1e-5) { continue; }
                ++own_hits;
                own_lost += !both_collide(tree, center, radius, differ);
            }
            ++tables;
            hits += own_hits;
            lost += own_lost;
            hidden += own_hits > 0 && own_hits == own_lost;
        }
    }
    std::printf("  %ld tables: %ld spheres in points, %ld of them missed; %ld tables with all of them missed\n", tables, hits,
                lost, hidden);
}

int main()
{
    std::puts("pull request 122, four points");
    split();
    std::puts("pull request 122, random clouds");
    for (const auto &[count, clouds] : {std::pair{4, 500}, {16, 300}, {64, 200}, {256, 100}, {1000, 50}})
    {
        random_clouds(std::size_t(count), clouds);
    }
    std::puts("issue 80, Fetch in a table");
    table();
}
