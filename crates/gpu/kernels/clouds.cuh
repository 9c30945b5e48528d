// Pieces against point clouds that are obstacles, as `cell::filter::clouds`, `cell::cloud_faces` and `cell::face_grid` of
// noli_robot have it, with their bounds: a grid of distances decides most spheres of a piece, points near the others are
// compared with spheres inside, and those that are left with the faces in double precision.

// Points of one sphere that a lane compares; more are for the processor.
#define MOST_POINTS 4096
// As in `face_grid.rs`; there is no limit to the cells here, since the processor would compare more than these faces.
#define FACE_SLACK 1e-7

// A sphere in the frame of the tree, its radius given by its square.
struct Probe { V3 center; float square; };

// A piece in one configuration against a cloud.
struct CloudPair {
    const FilterCloud *cloud;
    const FilterPiece *piece;
    Place tree_from_piece, piece_from_tree;
    float outward, inward; // added to radii of outer and of inner spheres
};

FN CloudPair cloud_pair(const Filter &f, const FilterPair &pair, const Place &own, float more) {
    const FilterCloud &c = f.clouds.heads[pair.elsewhere - FIRST_CLOUD];
    CloudPair p;
    p.cloud = &c;
    p.piece = f.pieces + pair.piece;
    p.outward = (c.radius + c.error + more) * (1.0f + 8.0f * U);
    p.inward = c.least - c.error;
    V3 away = v3(own.t[0] - c.center[0], own.t[1] - c.center[1], own.t[2] - c.center[2]);
    V3 there = turn(c.turn, away);
    float length = 1.0f / c.scale;
    p.tree_from_piece.t[0] = c.scale * there.x;
    p.tree_from_piece.t[1] = c.scale * there.y;
    p.tree_from_piece.t[2] = c.scale * there.z;
    for (int row = 0; row < 3; ++row) {
        p.piece_from_tree.t[row] = -(own.r[row] * away.x + own.r[3 + row] * away.y + own.r[6 + row] * away.z);
        for (int k = 0; k < 3; ++k) {
            float turned = c.turn[3 * row] * own.r[k] + c.turn[3 * row + 1] * own.r[3 + k] + c.turn[3 * row + 2] * own.r[6 + k];
            p.tree_from_piece.r[3 * row + k] = c.scale * turned;
            p.piece_from_tree.r[3 * k + row] = length * turned;
        }
    }
    return p;
}

FN Probe probe(const Filter &f, const CloudPair &p, u32 set, u32 k) {
    float4 sphere = f.spheres[16 * u64(set) + k];
    float reach = (sphere.w + p.outward) * p.cloud->scale;
    Probe out = {at(p.tree_from_piece, sphere.x, sphere.y, sphere.z), reach * reach * WIDER};
    return out;
}

FN bool certainly_in(const Filter &f, u32 set, V3 point, float more) {
    u32 count_of = f.sets[set].count;
    for (u32 k = 0; k < count_of; ++k) {
        float4 sphere = f.spheres[16 * u64(set) + k];
        float reach = fmaxf(sphere.w + more, 0.0f);
        if (reach * reach * NARROWER > sq(xyz(sphere) - point)) return true;
    }
    return false;
}

FN double far_of(const double *t) { return fmax(fabs(t[0]), fmax(fabs(t[1]), fabs(t[2]))); }

// The square of the distance of a + u·v + w·x from p, where u and w are of the edges from a.
FN double away_sq(const double *ap, const double *v, double u, const double *x, double w) {
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = ap[k] - (v[k] * u + x[k] * w);
    return dot(d, d);
}

// The square of the distance of a point from a triangle (Ericson 2005, 5.1.5).
FN double triangle_sq(const double *p, const double *a) {
    const double *b = a + 3, *c = a + 6;
    double ab[3], ac[3], ap[3], bp[3], cp[3], bc[3];
    less(b, a, ab); less(c, a, ac); less(p, a, ap);
    double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return dot(ap, ap);
    less(p, b, bp);
    double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return dot(bp, bp);
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return away_sq(ap, ab, unit_clamp(d1 / (d1 - d3)), ac, 0.0);
    less(p, c, cp);
    double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return dot(cp, cp);
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return away_sq(ap, ab, 0.0, ac, unit_clamp(d2 / (d2 - d6)));
    double va = d3 * d6 - d5 * d4, up = d4 - d3, along = d5 - d6;
    if (va <= 0.0 && up >= 0.0 && along >= 0.0) {
        less(c, b, bc);
        return away_sq(bp, bc, unit_clamp(up / (up + along)), ab, 0.0);
    }
    double sum = va + vb + vc;
    return away_sq(ap, ab, unit_clamp(vb / sum), ac, unit_clamp(vc / sum));
}

FN u32 face_cell(const FaceCells &g, int axis, double at) {
    double index = (at - g.low[axis]) * g.inverse;
    return min(u32(fmin(fmax(index, 0.0), 65535.0)), g.size[axis] - 1);
}

// Whether a point, which may be off by `error`, is within a distance of a body, inside of a solid too: HIT, APART or UNSURE.
SLOW int within_faces(const Clouds &all, const FaceCells &g, const double *point, double distance, double error) {
    double slack = FACE_SLACK * (g.far + far_of(point) + distance) + error, reach = distance + slack, beyond = 0.0;
    u32 first[3], last[3], own = 0;
    for (int k = 0; k < 3; ++k) {
        double out = fmax(fmax(g.low[k] - point[k], point[k] - g.high[k]), 0.0);
        beyond += out * out;
        first[k] = face_cell(g, k, point[k] - reach);
        last[k] = face_cell(g, k, point[k] + reach);
    }
    if (beyond > reach * reach * (1.0 + 1e-9)) return APART;
    if (!(reach < UNBOUNDED)) return UNSURE;
    double sure = fmax(distance - slack, 0.0);
    bool open = false;
    for (u32 z = first[2]; z <= last[2]; ++z)
        for (u32 y = first[1]; y <= last[1]; ++y) {
            const u32 *starts = all.face_starts + g.starts + (z * g.size[1] + y) * g.size[0];
            for (u32 k = starts[first[0]], end = starts[last[0] + 1]; k < end; ++k) {
                u32 face = all.faces[k];
                double away = triangle_sq(point, all.triangles + 9 * u64(face & 0x7fffffffu));
                bool shaped = !(face >> 31);
                if (shaped && distance > slack && away <= sure * sure) return HIT;
                open = open || !shaped || !(away > reach * reach);
            }
        }
    if (open) return UNSURE;
    if (beyond > 0.0) return APART;
    for (int k = 2; k >= 0; --k) own = own * g.size[k] + face_cell(g, k, point[k]);
    return int(byte_of(all.sides, g.sides + own));
}

// A body of the piece as the cloud sees it, in double precision.
struct FaceView {
    const FaceCells *grid;
    double r[9], t[3], distance, least; // by the largest radius of a point and the least
};

// The verdict on points of the cloud in one sphere: by spheres inside, or by the faces of a body.
template <bool FACES>
FN int points_in(const Filter &f, const CloudPair &p, u32 k, const Probe &s, const FaceView &view) {
    const FilterCloud &c = *p.cloud;
    if (!grid_near(f.clouds, c, s.center, s.square)) return APART;
    if (!(s.square + dot(s.center, s.center) < 1e30f)) return UNSURE;
    float reach = sqrtf(s.square), center[3] = {s.center.x, s.center.y, s.center.z};
    int first[3], last[3];
    for (int axis = 0; axis < 3; ++axis) {
        // Rounding moves a place by far less than a hundredth of a cell.
        float low = (center[axis] - reach - c.low[axis]) * c.inverse - 0.01f, most = float(c.size[axis] - 1);
        float high = (center[axis] + reach - c.low[axis]) * c.inverse + 0.01f;
        first[axis] = int(fminf(fmaxf(low, 0.0f), most));
        last[axis] = int(fminf(fmaxf(high, 0.0f), most));
    }
    int found = APART;
    u32 visited = 0;
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y) {
            const u32 *starts = f.clouds.starts + c.starts + (u32(z) * c.size[1] + u32(y)) * c.size[0];
            u32 from = starts[first[0]], end = starts[last[0] + 1];
            visited += end - from;
            if (visited > MOST_POINTS) return UNSURE;
            for (u32 n = from; n < end; ++n) {
                V3 point = xyz(f.clouds.points[n]);
                if (sq(point - s.center) > s.square) continue;
                int said = UNSURE;
                if (FACES) {
                    double own[3], stored[3] = {double(point.x), double(point.y), double(point.z)};
                    for (int i = 0; i < 3; ++i) stored[i] = c.origin[i] + c.unit * stored[i];
                    for (int i = 0; i < 3; ++i) own[i] = dot(view.r + 3 * i, stored) + view.t[i];
                    said = within_faces(f.clouds, *view.grid, own, view.distance, c.point_error);
                    // Of points whose radii differ only the nearest are certain.
                    if (said == HIT && view.least < view.distance)
                        said = within_faces(f.clouds, *view.grid, own, view.least, c.point_error) == HIT ? HIT : UNSURE;
                } else {
                    V3 own = at(p.piece_from_tree, point.x, point.y, point.z);
                    if (certainly_in(f, p.piece->inner, own, p.inward) || certainly_in(f, p.piece->dense + k, own, p.inward))
                        said = HIT;
                }
                if (said == HIT) return HIT;
                if (said == UNSURE) found = UNSURE;
            }
        }
    return found;
}

FN bool is_cloud(const FilterPair &pair) { return pair.elsewhere >= FIRST_CLOUD; }

// Whether an outer sphere of the piece may reach a point.
SLOW bool outer_near_cloud(const Filter &f, const FilterPair &pair, const Place &own, float more) {
    CloudPair p = cloud_pair(f, pair, own, more);
    u32 count_of = f.sets[p.piece->outer].count;
    for (u32 k = 0; k < count_of; ++k) {
        Probe s = probe(f, p, p.piece->outer, k);
        if (grid_near(f.clouds, *p.cloud, s.center, s.square)) return true;
    }
    return false;
}

// The verdict on a piece and a cloud, by sixteen lanes: the fine spheres that may reach points, each with those points.
template <bool FACES>
SLOW int classify_cloud(const Filter &f, const FilterPair &pair, const Place &own, float more, const FaceView &view) {
    CloudPair p = cloud_pair(f, pair, own, more);
    LANES(bool, said);
    EACH {
        AT(said) = false;
        if (u32(lane) < f.sets[p.piece->outer].count) {
            Probe s = probe(f, p, p.piece->outer, u32(lane));
            AT(said) = grid_near(f.clouds, *p.cloud, s.center, s.square);
        }
    }
    int all = APART;
    for (u32 left = votes(said); left; left &= left - 1) {
        u32 k = lowest(left), set = p.piece->fine + k;
        LANES(bool, hits);
        LANES(bool, open);
        EACH {
            int found = APART;
            if (u32(lane) < f.sets[set].count) found = points_in<FACES>(f, p, k, probe(f, p, set, u32(lane)), view);
            AT(hits) = found == HIT;
            AT(open) = found == UNSURE;
        }
        if (votes(hits)) return HIT;
        if (votes(open)) all = UNSURE;
    }
    return all;
}

// The same by the faces of all bodies of the piece, in the configuration on the desk: closer than the margin and `more`
// (`length` in true lengths) or not.
FN int classify_faces(const Filter &f, const Cell &c, const Desk &d, const FilterPair &pair, const Place &own, float more,
                      double length) {
    const FilterCloud &cloud = f.clouds.heads[pair.elsewhere - FIRST_CLOUD];
    int all = APART;
    for (u32 k = pair.first; k < pair.end; ++k) {
        const Couple &couple = c.couples[k];
        u32 seen = c.bodies[couple.a].carrier == c.links ? couple.a : couple.b, link = couple.a + couple.b - seen;
        u32 number_of = f.clouds.grid_of[link];
        if (number_of == NOBODY) return UNSURE;
        FaceView view;
        view.grid = f.clouds.grids + number_of;
        view.distance = cloud.point_radius + couple.margin + length;
        view.least = cloud.point_least + couple.margin + length;
        Pose at_link = placed_at(c, d, c.bodies[link]), at_cloud = placed_at(c, d, c.bodies[seen]);
        double q[4], extent = far_of(at_link.t) + far_of(at_cloud.t) + far_of(cloud.origin) + cloud.unit;
        if (!(extent < 1e5 * view.grid->far) || !relative(at_link, at_cloud, q, view.r, view.t)) return UNSURE;
        int found = classify_cloud<true>(f, pair, own, more, view);
        if (found == HIT) return HIT;
        if (found == UNSURE) all = UNSURE;
    }
    return all;
}

// Whether outer spheres of a near pair are near the other piece, or points of the cloud.
FN bool open_pair(const Filter &f, const Frames &frames, const FilterPair &pair, u32 configuration, float more) {
    if (is_cloud(pair)) return outer_near_cloud(f, pair, place_of(f, frames, pair.piece, configuration), more);
    return outer_near(f, frames, pair, configuration, more);
}

// The verdict on an open pair by sphere sets: APART, HIT or UNSURE.
FN int classify_pair(const Filter &f, const Frames &frames, const FilterPair &pair, u32 configuration, float more) {
    if (!is_cloud(pair)) return classify(f, frames, pair, configuration, more);
    FaceView none = {};
    return classify_cloud<false>(f, pair, place_of(f, frames, pair.piece, configuration), more, none);
}
