// Sixteen lanes that work on one question: threads of a warp on a device, a loop on the host, so that tests run
// the same walk without a card.
//
// LANES(T, x) declares a value per lane, OF_LANES(T, x) a parameter that is one, AT(x) is the value of the lane at hand,
// EACH { ... } runs for every lane.

#ifdef __CUDACC__
#define FN __device__ __forceinline__
// Rarely called: not worth the registers of its callers.
#define SLOW static __device__ __noinline__
#define LANES(T, x) T x
#define OF_LANES(T, x) T &x
#define AT(x) x
#define EACH for (int lane = threadIdx.x & 15, once = 1; once; once = 0)
typedef unsigned int u32;
typedef unsigned long long u64;

struct V3 { float x, y, z; };
FN V3 v3(float x, float y, float z) { V3 v = {x, y, z}; return v; }
FN u32 half_warp() { return 0xffffu << (threadIdx.x & 16); }
// Bit i is set where lane i says so.
FN u32 votes(bool said) { return (__ballot_sync(half_warp(), said) >> (threadIdx.x & 16)) & 0xffffu; }
FN u32 least(u32 key) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(half_warp(), key);
#else
    for (int step = 8; step > 0; step /= 2) key = min(key, __shfl_xor_sync(half_warp(), key, step));
    return key;
#endif
}
FN float of_lane(float x, int lane) { return __shfl_sync(half_warp(), x, lane, 16); }
FN u32 of_lane(u32 x, int lane) { return __shfl_sync(half_warp(), x, lane, 16); }
FN V3 of_lane(const V3 &v, int lane) { return v3(of_lane(v.x, lane), of_lane(v.y, lane), of_lane(v.z, lane)); }
// The first three lanes' values.
FN V3 first_three(float x) {
    u32 all = half_warp();
    return v3(__shfl_sync(all, x, 0, 16), __shfl_sync(all, x, 1, 16), __shfl_sync(all, x, 2, 16));
}
// How many lanes have a smaller key; keys differ.
FN void ranks(u32 key, int &rank) {
    rank = 0;
    for (int other = 0; other < 16; ++other) rank += __shfl_sync(half_warp(), key, other, 16) < key;
}
FN float greatest(float x) {
    for (int step = 8; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(half_warp(), x, step));
    return x;
}
FN void together() { __syncwarp(half_warp()); }
#define UNBOUNDED __int_as_float(0x7f800000)
FN float f32_of(u32 bits) { return __uint_as_float(bits); }
FN u32 bits_of(float x) { return __float_as_uint(x); }
FN float down(double x) { return __double2float_rd(x); }
FN float up(double x) { return __double2float_ru(x); }
FN int count(u32 bits) { return __popc(bits); }
FN int top_bit(u64 bits) { return 63 - __clzll((long long)bits); }
#else
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#define FN static inline
#define SLOW static inline
#define LANES(T, x) T x[16]
#define OF_LANES(T, x) T *x
#define AT(x) x[lane]
#define EACH for (int lane = 0; lane < 16; ++lane)
typedef uint32_t u32;
typedef uint64_t u64;
using std::max;
using std::min;

struct V3 { float x, y, z; };
FN V3 v3(float x, float y, float z) { V3 v = {x, y, z}; return v; }
struct alignas(16) float4 { float x, y, z, w; };
struct uint2 { u32 x, y; };
FN uint2 make_uint2(u32 x, u32 y) { return uint2{x, y}; }
FN u32 votes(const bool *said) {
    u32 bits = 0;
    EACH bits |= u32(said[lane]) << lane;
    return bits;
}
FN u32 least(const u32 *key) { return *std::min_element(key, key + 16); }
template <class T> static inline T of_lane(const T *x, int lane) { return x[lane]; }
FN V3 first_three(const float *x) { return v3(x[0], x[1], x[2]); }
FN void ranks(const u32 *key, int *rank) {
    EACH {
        AT(rank) = 0;
        for (int other = 0; other < 16; ++other) AT(rank) += key[other] < AT(key);
    }
}
FN float greatest(const float *x) { return *std::max_element(x, x + 16); }
FN void together() {}
#define UNBOUNDED INFINITY
FN float f32_of(u32 bits) { float x; std::memcpy(&x, &bits, 4); return x; }
FN u32 bits_of(float x) { u32 bits; std::memcpy(&bits, &x, 4); return bits; }
FN float down(double x) { float y = float(x); return double(y) > x ? std::nextafterf(y, -INFINITY) : y; }
FN float up(double x) { float y = float(x); return double(y) < x ? std::nextafterf(y, INFINITY) : y; }
FN int count(u32 bits) { return __builtin_popcount(bits); }
FN int top_bit(u64 bits) { return 63 - __builtin_clzll(bits); }
#endif

FN V3 xyz(const float4 &v) { return v3(v.x, v.y, v.z); }
FN V3 operator+(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
FN V3 operator-(V3 a, V3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
FN V3 operator*(float k, V3 a) { return v3(k * a.x, k * a.y, k * a.z); }
FN float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FN V3 cross(V3 a, V3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
FN float largest(V3 a) { return fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z))); }
// Rows of a matrix times a vector.
FN V3 turn(const float *rows, V3 a) {
    return v3(rows[0] * a.x + rows[1] * a.y + rows[2] * a.z, rows[3] * a.x + rows[4] * a.y + rows[5] * a.z,
              rows[6] * a.x + rows[7] * a.y + rows[8] * a.z);
}

// One number of `f32` against unit roundoff.
#define U 5.9604644775390625e-8f
