// Configurations drawn by their number: Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011), as campaigns
// draw them, equal to the last bit on a device and on a processor.

struct Range {
    double low, high, multiplier, offset;
    u32 leader, unused; // the variable that this one follows, or NOBODY
};

struct Philox {
    u64 seed, index, spare;
    u32 taken;
};

FN u64 next_bits(Philox &p) {
    if (p.taken++ & 1) return p.spare;
    u32 c[4] = {u32(p.index), u32(p.index >> 32), (p.taken - 1) / 2, 0}, key[2] = {u32(p.seed), u32(p.seed >> 32)};
    for (int round = 0; round < 10; ++round) {
        u64 a = u64(c[0]) * 0xd2511f53u, b = u64(c[2]) * 0xcd9e8d57u;
        u32 first = u32(b >> 32) ^ c[1] ^ key[0], third = u32(a >> 32) ^ c[3] ^ key[1];
        c[0] = first; c[1] = u32(b); c[2] = third; c[3] = u32(a);
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    p.spare = c[2] | u64(c[3]) << 32;
    return c[0] | u64(c[1]) << 32;
}

// The values of a configuration, each `stride` behind the one before.
FN void draw_state(const Range *ranges, u32 count, u64 seed, u64 index, double *values, u32 stride) {
    Philox p = {seed, index, 0, 0};
    for (u32 k = 0; k < count; ++k) {
        double share = mul(double((long long)(next_bits(p) >> 11)), 1.1102230246251565e-16);
        values[u64(k) * stride] = add(ranges[k].low, mul(sub(ranges[k].high, ranges[k].low), share));
    }
    for (u32 k = 0; k < count; ++k)
        if (ranges[k].leader != NOBODY)
            values[u64(k) * stride] =
                add(mul(ranges[k].multiplier, values[u64(ranges[k].leader) * stride]), ranges[k].offset);
}

// Configurations of a batch: given, or drawn.
struct States {
    const Range *ranges; // null: `rows` are given
    const double *rows;
    u64 seed, first;
};

FN void state_values(const States &s, u32 count, u32 configuration, double *values, u32 stride) {
    if (s.ranges) draw_state(s.ranges, count, s.seed, s.first + configuration, values, stride);
    else
        for (u32 k = 0; k < count; ++k) values[u64(k) * stride] = s.rows[u64(configuration) * count + k];
}
