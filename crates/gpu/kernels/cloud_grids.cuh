// Point clouds that are obstacles, and the faces of bodies on robots by cells: `CloudImage` of noli_robot.

// A pair of pieces that is decided by trees alone has a 1; one with a cloud has its number behind.
#define FIRST_CLOUD 2

struct FilterCloud {
    double origin[3], unit, point_radius, point_least, point_error; // of the tree; of points in true lengths
    float turn[9], center[3], scale, radius, least, error;          // the largest radius and the least
    float low[3], high[3], inverse, step;
    u32 size[3], bounds, starts, unused; // cells; first byte of their bounds; first of the starts of their points
};
struct FaceCells {
    double low[3], high[3], inverse, far;
    u32 size[3], starts, sides, unused[3];
};
static_assert(sizeof(FilterCloud) == 176 && sizeof(FaceCells) == 96, "as on the Rust side");

struct Clouds {
    const FilterCloud *heads;
    const u32 *bounds; // bytes, four to a word
    const u32 *starts;
    const float4 *points; // by cells
    const FaceCells *grids;
    const u32 *face_starts, *faces; // bit 31: of no shape
    const double *triangles;
    const u32 *sides;   // bytes: APART, HIT, or UNSURE where faces are
    const u32 *grid_of; // of each body
};

FN u32 byte_of(const u32 *words, u32 k) { return words[k >> 2] >> (8 * (k & 3)) & 0xffu; }

// Whether a place in the frame of the tree may be within the root of a square of a point; NaN may be. A place beyond the box
// is at least as far from a point as from the nearest place of the box, and as that is from the point.
FN bool grid_near(const Clouds &all, const FilterCloud &c, V3 place, float square) {
    float at[3] = {place.x, place.y, place.z}, away = 0.0f;
    u32 cell = 0;
    for (int axis = 2; axis >= 0; --axis) {
        float inside = fminf(fmaxf(at[axis], c.low[axis]), c.high[axis]), gap = at[axis] - inside;
        float index = (inside - c.low[axis]) * c.inverse;
        away += gap * gap;
        cell = cell * c.size[axis] + min(u32(fmaxf(index, 0.0f)), c.size[axis] - 1);
    }
    float bound = float(byte_of(all.bounds, c.bounds + cell)) * c.step;
    return !(away + bound * bound > square);
}

// The same of a place in the frame of the filter.
FN bool cloud_near(const Clouds &all, const FilterCloud &c, V3 place, float square) {
    V3 at = turn(c.turn, place - v3(c.center[0], c.center[1], c.center[2]));
    return grid_near(all, c, c.scale * at, square * (c.scale * c.scale));
}
