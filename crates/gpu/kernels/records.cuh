// Trees as `noli::seams::Image` lays them out: records of 224 bytes, nodes first, then leaves, then what rounding took from
// the corners of each leaf.

struct Child {
    float4 center; // w: the link's bits
    float4 half;
    float4 turn; // quaternion x y z w, of length 1 up to rounding
};

struct Record {
    double origin[3];
    union {
        struct { float reach; u32 children; } node;
        double unit; // of a leaf's corners
    };
    Child child[4]; // of a leaf: three corners of a triangle each, the first with the longest edge in w
};

struct Remainders { float corner[4][12]; u32 unused[8]; }; // nine numbers of each triangle, times 2^24
static_assert(sizeof(Record) == 224 && sizeof(Remainders) == 224, "records of one size");

FN bool is_leaf(u32 link) { return link >> 31; }
FN u32 record_of(u32 link) { return link & 0x1fffffffu; }
FN u32 triangles_of(u32 link) { return (link >> 29 & 3) + 1; }

// Two trees that are asked about; `a` has the larger unit.
struct Trees {
    const Record *a, *b;
    double reach_a, reach_b;
    double unit_a; // a power of two
    float scale;   // unit of b over unit of a, at most 1
};

// Of a leaf; the first record has the number of leaves where the link of its second child would be.
FN const Remainders &remainders(const Record *tree, u32 record) {
    return *(const Remainders *)(tree + record + bits_of(tree[0].child[1].center.w));
}
