/* noli: exact collision, distance and continuous-collision queries. C interface.
 *
 * Handles    Objects are numbers, never pointers. A handle that was freed, never given out, or of another kind gives
 *            NOLI_ERROR_HANDLE. Freeing a handle twice does, too. Handle 0 is no object; context 0 is the default
 *            context of the calling thread, without limits.
 * Errors     Every function that can fail returns a noli_status. Its answer is written only for NOLI_OK.
 *            noli_last_error_message() has the file, the place and the remedy, for the calling thread.
 * Numbers    NaN, infinite coordinates and zero quaternions give NOLI_ERROR_VALUE. Null pointers give
 *            NOLI_ERROR_NULL. Arrays must have the length that is stated with them: that cannot be checked.
 * Threads    Every function may be called from every thread at any time. Models and robots answer any number of
 *            threads at once. A context serves one query at a time: a second thread gets NOLI_ERROR_BUSY. Changes of
 *            a world wait for its running queries. A query that runs while another thread frees its objects ends as
 *            if they had not been freed.
 * Verdicts   Touching counts as a collision. Verdicts are exact for meshes, polyhedra, spheres and capsules, and never
 *            miss for cylinders, cones and ellipsoids. An exhausted budget gives NOLI_UNKNOWN, never a guess.
 * Units      Lengths in any unit, the same for all; angles in radians; robots in metres and radians.
 */
#ifndef NOLI_H
#define NOLI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function or a structure of this header changes. */
#define NOLI_ABI_VERSION 1

/* ---- Status, versions ------------------------------------------------------------------------------------------ */

typedef int32_t noli_status;
enum {
  NOLI_OK = 0,
  NOLI_ERROR_NULL = 1,     /* a pointer is null that must not be */
  NOLI_ERROR_HANDLE = 2,   /* a handle was freed, was never given out, or is of another kind */
  NOLI_ERROR_VALUE = 3,    /* a number is NaN, infinite or out of range, or data does not make a shape */
  NOLI_ERROR_FILE = 4,     /* a file cannot be read, or its content is wrong */
  NOLI_ERROR_BUSY = 5,     /* the context is in use by another thread */
  NOLI_ERROR_INTERNAL = 6  /* a defect of the library; the objects of the call stay valid */
};

/* Version of the library as text, such as "0.1.0". */
const char *noli_version(void);
/* NOLI_ABI_VERSION of the header that the library was built with. */
uint32_t noli_abi_version(void);
/* Message of the last error of this thread: what is wrong, where, and the remedy. Valid until its next failing call. */
const char *noli_last_error_message(void);
/* Code of the last error of this thread; NOLI_OK if it has had none. */
noli_status noli_last_error_code(void);
/* Number of handles that were given out and not freed: 0 at the end of a program without leaks. */
size_t noli_live_handles(void);

/* ---- Handles, poses -------------------------------------------------------------------------------------------- */

typedef struct noli_model { uint64_t id; } noli_model;
typedef struct noli_context { uint64_t id; } noli_context;
typedef struct noli_world { uint64_t id; } noli_world;
typedef struct noli_robot { uint64_t id; } noli_robot;

/* A translation and a quaternion. The quaternion denotes the rotation by its normalised value, exactly. */
typedef struct noli_pose { double x, y, z, qx, qy, qz, qw; } noli_pose;

/* A model at a pose (world from model). */
typedef struct noli_placed { noli_model model; noli_pose pose; } noli_placed;

typedef int32_t noli_verdict;
enum { NOLI_SEPARATED = 0, NOLI_COLLIDING = 1, NOLI_UNKNOWN = 2 };

typedef int32_t noli_relation_kind;
enum {
  NOLI_RELATION_SEPARATED = 0,    /* no common point */
  NOLI_RELATION_TOUCHING = 1,     /* common points, but no common volume */
  NOLI_RELATION_INTERSECTING = 2, /* one passes through the other */
  NOLI_RELATION_INSIDE = 3,       /* one lies within the other */
  NOLI_RELATION_UNKNOWN = 4
};

typedef int32_t noli_guarantee;
enum {
  NOLI_EXACT = 0,        /* the verdict of real arithmetic on the numbers given */
  NOLI_CONSERVATIVE = 1, /* misses no contact; may report one within the width of the bracket */
  NOLI_APPROXIMATE = 2
};

typedef int32_t noli_completeness;
enum {
  NOLI_COMPLETE = 0, /* everything */
  NOLI_ENOUGH = 1,   /* the room was filled */
  NOLI_PARTIAL = 2   /* the budget ran out */
};

/* ---- Models ---------------------------------------------------------------------------------------------------- */

typedef struct noli_mesh_data {
  const double *vertices;    /* three numbers a vertex */
  size_t vertex_count;
  const uint32_t *triangles; /* three vertex numbers a triangle, counted from 0 */
  size_t triangle_count;
  int32_t solid;             /* not 0: the interior belongs to the body; 0: the surface alone */
} noli_mesh_data;

typedef struct noli_mesh_buffer {
  double *vertices;          /* room for three numbers a vertex; null if vertex_capacity is 0 */
  size_t vertex_capacity;
  uint32_t *triangles;       /* room for three vertex numbers a triangle; null if triangle_capacity is 0 */
  size_t triangle_capacity;
  size_t vertex_count;       /* how many there are, written by the call; those beyond capacity are not stored */
  size_t triangle_count;
} noli_mesh_buffer;

typedef struct noli_bounds { double min[3], max[3]; } noli_bounds;

/* Triangle mesh; the arrays are copied. */
noli_status noli_model_mesh(const noli_mesh_data *mesh, noli_model *out);
/* Convex hull of points, three numbers each. */
noli_status noli_model_convex(const double *points, size_t count, noli_model *out);
/* Primitives around the origin. Boxes are given by the lengths of their edges; capsules, cylinders and cones lie along
 * z; `length` of a capsule is that of its cylinder; the tip of a cone is at +height/2. */
noli_status noli_model_sphere(double radius, noli_model *out);
noli_status noli_model_box(double x, double y, double z, noli_model *out);
noli_status noli_model_capsule(double length, double radius, noli_model *out);
noli_status noli_model_cylinder(double height, double radius, noli_model *out);
noli_status noli_model_cone(double height, double radius, noli_model *out);
/* Ellipsoid, by its half-axes. */
noli_status noli_model_ellipsoid(double x, double y, double z, noli_model *out);
/* All points with z <= 0. */
noli_status noli_model_half_space(noli_model *out);
/* One model of several, each at its pose in the frame of the whole. Parts that are compounds are refused. */
noli_status noli_model_compound(const noli_placed *parts, size_t count, noli_model *out);
/* Points of a sensor with a radius around each, three numbers a point; radius 0 for the points themselves. */
noli_status noli_model_points(const double *points, size_t count, double radius, noli_model *out);
/* Vertices and triangles of a model that was made of a mesh. Call it with capacities 0 for the counts. */
noli_status noli_model_triangles(noli_model model, noli_mesh_buffer *buffer);
/* Mesh file (OBJ, STL, OFF, PLY, glTF, 3MF, DXF, COLLADA), in the unit of the file. */
noli_status noli_model_file(const char *path, int32_t solid, noli_model *out);
/* Bytes of such a file. `name` is used in messages, and its extension where the bytes do not declare their format. */
noli_status noli_model_bytes(const uint8_t *bytes, size_t count, const char *name, int32_t solid, noli_model *out);
/* Box around the model in its own frame; infinite for a half-space. */
noli_status noli_model_bounds(noli_model model, noli_bounds *out);
/* Guarantee of verdicts about two models. */
noli_status noli_model_guarantee(noli_model a, noli_model b, noli_guarantee *out);
/* Worlds, robots, compounds and running queries that use the model keep it alive for themselves. */
noli_status noli_model_free(noli_model model);

/* ---- Contexts: scratch memory, budgets ------------------------------------------------------------------------- */

noli_status noli_context_new(noli_context *out);
/* At most so many steps a query, the same on every machine; 0 removes the limit. */
noli_status noli_context_set_steps(noli_context context, uint64_t steps);
/* At most so many seconds a query; infinity removes the limit. */
noli_status noli_context_set_seconds(noli_context context, double seconds);
/* Ends running and later queries of the context as undecided, from any thread; 0 permits them again. */
noli_status noli_context_cancel(noli_context context, int32_t cancelled);
/* Steps of the last query. */
noli_status noli_context_steps(noli_context context, uint64_t *out);
noli_status noli_context_free(noli_context context);

/* ---- Queries on two bodies at rest ----------------------------------------------------------------------------- */

typedef struct noli_clearance_result {
  double at_least;      /* no two points are closer */
  double at_most;       /* some pair of points is at most this close; infinite if none was found */
  double on_a[3];       /* nearest points, in world coordinates */
  double on_b[3];
  int32_t has_points;   /* 1 if the points are set */
  noli_guarantee guarantee;
} noli_clearance_result;

typedef struct noli_contact_point {
  double on_a[3];
  double on_b[3];
  double normal[3];      /* unit vector from A to B */
  double depth_at_least; /* bracket of the penetration depth */
  double depth_at_most;
} noli_contact_point;

typedef struct noli_contact_list {
  noli_contact_point *items;
  size_t capacity;       /* how many fit; given */
  size_t count;          /* how many there are; those beyond capacity are not stored */
  noli_verdict verdict;
} noli_contact_list;

typedef struct noli_penetration_result {
  double at_least;       /* no shorter translation separates the bodies */
  double at_most;        /* a translation of this length does; infinite if none was found */
  double direction[3];   /* unit vector along which B moves; zero if none was found */
} noli_penetration_result;

/* Do the bodies share a point? */
noli_status noli_overlap(noli_context context, const noli_placed *a, const noli_placed *b, noli_verdict *out);
/* Is their distance at most `distance`? */
noli_status noli_within_distance(noli_context context, const noli_placed *a, const noli_placed *b, double distance,
                                 noli_verdict *out);
/* Distance and nearest points; beyond max_distance, which may be infinite, no exact answer is needed. */
noli_status noli_clearance(noli_context context, const noli_placed *a, const noli_placed *b, double max_distance,
                           noli_clearance_result *out);
noli_status noli_relation(noli_context context, const noli_placed *a, const noli_placed *b, noli_relation_kind *out);
/* Shortest separating translation; `tolerance` is the width of the bracket as a share of its upper end, 0 selects 0.2. */
noli_status noli_penetration(noli_context context, const noli_placed *a, const noli_placed *b, double tolerance,
                             noli_penetration_result *out);
/* Deepest contact; `out` is written for NOLI_COLLIDING only. */
noli_status noli_contact(noli_context context, const noli_placed *a, const noli_placed *b, noli_verdict *verdict,
                         noli_contact_point *out);
/* Up to four contacts that share a normal. */
noli_status noli_manifold(noli_context context, const noli_placed *a, const noli_placed *b, noli_contact_list *list);

typedef struct noli_intersection {
  uint32_t triangle_a, triangle_b;
  noli_relation_kind relation; /* NOLI_RELATION_TOUCHING or NOLI_RELATION_INTERSECTING */
  double start[3], end[3];     /* common segment, in world coordinates, rounded */
} noli_intersection;

typedef struct noli_intersection_list {
  noli_intersection *items;
  size_t capacity;                /* at least 1; given */
  size_t count;
  noli_completeness completeness; /* NOLI_ENOUGH if the room was filled */
} noli_intersection_list;

/* Intersecting faces, always in the same order, until the room is filled. Bodies without faces have none. */
noli_status noli_intersections(noli_context context, const noli_placed *a, const noli_placed *b,
                               noli_intersection_list *list);

/* One model at many poses against a placed one, on all threads: `count` verdicts. */
noli_status noli_overlap_batch(const noli_placed *a, noli_model b, const noli_pose *poses, size_t count,
                               noli_verdict *out);

/* ---- Points and rays ------------------------------------------------------------------------------------------- */

enum { NOLI_OUTSIDE = 0, NOLI_ON_SURFACE = 1, NOLI_WITHIN = 2, NOLI_LOCATION_UNKNOWN = 3 };

/* Location of a point given in world coordinates. */
noli_status noli_locate_point(noli_context context, const noli_placed *body, const double point[3], int32_t *out);

typedef struct noli_ray {
  double origin[3];
  double direction[3]; /* its length is the unit of t */
  double until;        /* hits beyond this t are left out; may be infinite */
} noli_ray;

enum { NOLI_FRONT = 0, NOLI_BACK = 1, NOLI_GRAZING = 2 };

typedef struct noli_ray_hit {
  double t;
  int64_t triangle; /* -1 for a body without faces */
  int32_t side;
} noli_ray_hit;

typedef struct noli_ray_hit_list {
  noli_ray_hit *items;
  size_t capacity; /* given */
  size_t count;    /* how many there are; those beyond capacity are not stored */
  noli_completeness completeness;
} noli_ray_hit_list;

/* All intersections of a ray, ordered by t; none slips through an edge. */
noli_status noli_ray_cast(noli_context context, const noli_placed *body, const noli_ray *ray, noli_ray_hit_list *list);

/* ---- Bodies in motion ------------------------------------------------------------------------------------------ */

enum { NOLI_MOTION_STILL = 0, NOLI_MOTION_BETWEEN = 1, NOLI_MOTION_VELOCITIES = 2 };

/* A motion during the time from 0 to 1. */
typedef struct noli_motion {
  int32_t kind;
  noli_pose start;
  noli_pose end;      /* NOLI_MOTION_BETWEEN: reached by the shorter rotation about the pivot */
  double pivot[3];    /* point of the body that moves on a straight line, in the frame of the body */
  double linear[3];   /* NOLI_MOTION_VELOCITIES: translation of the pivot */
  double angular[3];  /* NOLI_MOTION_VELOCITIES: rotation vector in the world; its length is the angle */
} noli_motion;

typedef struct noli_moving { noli_model model; noli_motion motion; } noli_moving;

enum { NOLI_IMPACT_NONE = 0, NOLI_IMPACT_AT_START = 1, NOLI_IMPACT_LATER = 2, NOLI_IMPACT_UNKNOWN = 3 };

typedef struct noli_impact {
  int32_t kind;
  int32_t proven;      /* 0: the bodies are only proven to come within the tolerance */
  double safe_until;   /* no contact before this time, proven */
  double touching_by;  /* in contact, up to the tolerance, no later than this */
  double on_a[3], on_b[3], normal[3];
  int32_t has_points;
} noli_impact;

typedef struct noli_impact_query {
  double margin;    /* bodies this close count as touching */
  double tolerance; /* bodies that pass each other within it may be reported; 0: a millionth of the larger body */
} noli_impact_query;

/* First contact of two moving bodies; no contact is missed. The options may be null for the defaults. */
noli_status noli_time_of_impact(noli_context context, const noli_moving *a, const noli_moving *b,
                                const noli_impact_query *options, noli_impact *out);

/* ---- Worlds ---------------------------------------------------------------------------------------------------- */

typedef int32_t noli_pair_status;
enum {
  NOLI_PAIR_SEPARATED = 0,
  NOLI_PAIR_TOUCHING = 1,
  NOLI_PAIR_INTERSECTING = 2,
  NOLI_PAIR_INSIDE = 3,
  NOLI_PAIR_UNKNOWN = 4,
  NOLI_PAIR_WITHIN_MARGIN = 5
};

typedef struct noli_finding {
  uint64_t body_a, body_b;
  noli_pair_status status;
  int32_t has_place;
  double at_least, at_most; /* bracket of the clearance */
  double place[3];          /* a common point, or the midpoint of the nearest points */
} noli_finding;

typedef struct noli_finding_list {
  noli_finding *items;
  size_t capacity; /* given */
  size_t count;    /* how many there are; those beyond capacity are not stored */
  size_t pairs;    /* pairs enabled by the rules; those that are not listed are separated */
} noli_finding_list;

noli_status noli_world_new(noli_world *out);
/* Adds a body; `out` receives its number, which no other body of the world ever has. */
noli_status noli_world_add(noli_world world, const char *name, const noli_placed *body, uint64_t *out);
noli_status noli_world_remove(noli_world world, uint64_t body);
noli_status noli_world_move(noli_world world, uint64_t body, const noli_pose *pose);
/* Enables (not 0) or disables (0) a pair: the allowed collision matrix. All pairs are enabled at first. */
noli_status noli_world_set_pair(noli_world world, uint64_t a, uint64_t b, int32_t enabled);
/* Clearance that all pairs need. */
noli_status noli_world_set_margin(noli_world world, double margin);
/* Status, clearance and place of all pairs that come within their margin, the worst first. */
noli_status noli_world_check(noli_context context, noli_world world, noli_finding_list *list);
/* Pairs that overlap, are closer than their margin or are undecided: two body numbers each. Quicker. */
noli_status noli_world_colliding_pairs(noli_context context, noli_world world, uint64_t *pairs, size_t capacity,
                                       size_t *count);
noli_status noli_world_free(noli_world world);

/* ---- Robots ---------------------------------------------------------------------------------------------------- */

typedef struct noli_robot_files {
  const char *urdf;     /* path of a URDF file, or of a table of DH parameters (.toml) */
  const char *srdf;     /* path of an SRDF file with its disabled pairs; may be null */
  const char *packages; /* folder that contains the packages of the meshes; may be null */
  int32_t visual;       /* not 0: links without collision geometry collide by their visual geometry */
  noli_pose place;      /* world from root */
} noli_robot_files;

typedef struct noli_robot_texts {
  const char *urdf;     /* text of a URDF, such as the parameter robot_description of ROS */
  const char *srdf;     /* text of an SRDF with its disabled pairs; may be null */
  const char *folder;   /* folder of meshes with relative names; may be null for the current one */
  const char *packages; /* folder that contains the packages of the meshes; may be null */
  int32_t visual;       /* not 0: links without collision geometry collide by their visual geometry */
  noli_pose place;      /* world from root */
} noli_robot_texts;

typedef struct noli_edge {
  int32_t status; /* NOLI_SEPARATED: proven free. NOLI_COLLIDING: in collision at `at`. NOLI_UNKNOWN: too close */
  double at;      /* share of the motion */
  int64_t pair;   /* for noli_robot_pair_names; -1 if free */
} noli_edge;

/* Reads a robot with its meshes. Without an SRDF file, pairs that a joint connects are disabled. */
noli_status noli_robot_load(const noli_robot_files *files, noli_robot *out);
/* The same from text; meshes are read from the files that it names. */
noli_status noli_robot_from_text(const noli_robot_texts *texts, noli_robot *out);
/* Independent joints: the numbers of a configuration. */
noli_status noli_robot_dof(noli_robot robot, size_t *out);
/* Name of an independent joint; valid until the robot is freed. */
noli_status noli_robot_joint_name(noli_robot robot, size_t joint, const char **out);
/* Lower and upper limit of each independent joint; `count` is twice their number. */
noli_status noli_robot_limits(noli_robot robot, double *limits, size_t count);
/* Adds an obstacle, or replaces the one of that name. */
noli_status noli_robot_set_obstacle(noli_robot robot, const char *name, const noli_placed *body);
/* Attaches an object to a link, which it may touch; the pose is in the frame of the link. */
noli_status noli_robot_attach(noli_robot robot, const char *link, const char *name, const noli_placed *body);
/* Removes an obstacle or an attached object. */
noli_status noli_robot_remove_body(noli_robot robot, const char *name);
/* Disables a pair of links, obstacles or attached objects, by name. */
noli_status noli_robot_disable_pair(noli_robot robot, const char *a, const char *b);
/* Names of a pair, with a space between. */
noli_status noli_robot_pair_names(noli_robot robot, size_t pair, char *buffer, size_t capacity);
/* One verdict for each of `count` configurations; large batches run on all threads. */
noli_status noli_robot_check_states(noli_robot robot, const double *states, size_t count, noli_verdict *out);
/* Straight motions in joint space, proven at every moment. */
noli_status noli_robot_check_edges(noli_robot robot, const double *from, const double *to, size_t count,
                                   noli_edge *out);
/* Smallest clearance of all checked pairs in a configuration of `count` numbers. */
noli_status noli_robot_clearance(noli_robot robot, const double *state, size_t count, int64_t *pair,
                                 noli_clearance_result *out);
noli_status noli_robot_free(noli_robot robot);

#ifdef __cplusplus
}
#endif

#endif
