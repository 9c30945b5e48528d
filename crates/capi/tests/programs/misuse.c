/* Null pointers, freed handles, NaN, and two threads: each is a defined error. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "noli.h"

static int failures = 0;

#define EXPECT(call, code)                                                                             \
  do {                                                                                                 \
    const noli_status found = (call);                                                                  \
    if (found != (code)) {                                                                             \
      printf("%s:%d: %s gives %d, not %d\n", __FILE__, __LINE__, #call, (int)found, (int)(code));      \
      ++failures;                                                                                      \
    } else if ((code) != NOLI_OK && (strlen(noli_last_error_message()) < 10 || noli_last_error_code() != (code))) { \
      printf("%s:%d: %s has no message\n", __FILE__, __LINE__, #call);                                 \
      ++failures;                                                                                      \
    }                                                                                                  \
  } while (0)

static const noli_pose here = {0, 0, 0, 0, 0, 0, 1};
static noli_context shared;
static noli_model sphere;
static int busy = 0;

static void *query(void *unused) {
  const noli_placed a = {sphere, here};
  noli_clearance_result out;
  int i;
  for (i = 0; i < 20000; ++i) {
    const noli_status status = noli_clearance(shared, &a, &a, INFINITY, &out);
    if (status == NOLI_ERROR_BUSY) __atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED);
    else if (status != NOLI_OK) __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
  }
  return unused;
}

/* Queries a model that the other thread frees at any moment: an answer, or the error of a freed handle. */
static noli_model target;
static void *query_target(void *unused) {
  const noli_placed a = {target, here};
  noli_verdict out;
  int i;
  for (i = 0; i < 5000; ++i) {
    const noli_status status = noli_overlap((noli_context){0}, &a, &a, &out);
    if (status != NOLI_OK && status != NOLI_ERROR_HANDLE) __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
  }
  return unused;
}

static void arrays(void) {
  const double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 1};
  const uint32_t wrong[3] = {0, 1, 9}, right[3] = {0, 1, 2};
  noli_mesh_data mesh = {points, 3, wrong, 1, 0};
  noli_model out;
  EXPECT(noli_model_mesh(NULL, &out), NOLI_ERROR_NULL);
  EXPECT(noli_model_mesh(&mesh, &out), NOLI_ERROR_VALUE);
  mesh.triangles = right;
  EXPECT(noli_model_mesh(&mesh, NULL), NOLI_ERROR_NULL);
  mesh.vertex_count = 4;
  EXPECT(noli_model_mesh(&mesh, &out), NOLI_ERROR_VALUE);
  mesh.vertices = NULL;
  EXPECT(noli_model_mesh(&mesh, &out), NOLI_ERROR_NULL);
  mesh.vertices = points;
  mesh.vertex_count = SIZE_MAX / 8;
  EXPECT(noli_model_mesh(&mesh, &out), NOLI_ERROR_VALUE);
  EXPECT(noli_model_convex(points, 4, &out), NOLI_ERROR_VALUE);
  EXPECT(noli_model_convex(NULL, 4, &out), NOLI_ERROR_NULL);
  EXPECT(noli_model_convex(NULL, 0, &out), NOLI_ERROR_VALUE);
}

static void values(void) {
  noli_placed a = {sphere, here}, bad = {sphere, {0, 0, NAN, 0, 0, 0, 1}}, flat = {sphere, {0, 0, 0, 0, 0, 0, 0}};
  noli_verdict verdict;
  noli_clearance_result clearance;
  noli_model out;
  noli_ray ray = {{0, 0, 0}, {0, 0, 0}, INFINITY};
  noli_ray_hit_list hits = {NULL, 0, 0, 0};
  noli_intersection_list none = {NULL, 0, 0, 0};
  noli_moving moving = {sphere, {7, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 1}, {0}, {0}, {0}}};
  noli_impact impact;
  EXPECT(noli_model_sphere(-1, &out), NOLI_ERROR_VALUE);
  EXPECT(noli_model_sphere(NAN, &out), NOLI_ERROR_VALUE);
  EXPECT(noli_model_box(1, INFINITY, 1, &out), NOLI_ERROR_VALUE);
  EXPECT(noli_overlap((noli_context){0}, NULL, &a, &verdict), NOLI_ERROR_NULL);
  EXPECT(noli_overlap((noli_context){0}, &a, &a, NULL), NOLI_ERROR_NULL);
  EXPECT(noli_overlap((noli_context){0}, &a, &bad, &verdict), NOLI_ERROR_VALUE);
  EXPECT(noli_overlap((noli_context){0}, &flat, &a, &verdict), NOLI_ERROR_VALUE);
  EXPECT(noli_overlap((noli_context){77}, &a, &a, &verdict), NOLI_ERROR_HANDLE);
  EXPECT(noli_overlap((noli_context){sphere.id}, &a, &a, &verdict), NOLI_ERROR_HANDLE);
  EXPECT(noli_within_distance((noli_context){0}, &a, &a, NAN, &verdict), NOLI_ERROR_VALUE);
  EXPECT(noli_clearance((noli_context){0}, &a, &a, -1, &clearance), NOLI_ERROR_VALUE);
  EXPECT(noli_ray_cast((noli_context){0}, &a, &ray, &hits), NOLI_ERROR_VALUE);
  EXPECT(noli_ray_cast((noli_context){0}, &a, NULL, &hits), NOLI_ERROR_NULL);
  EXPECT(noli_intersections((noli_context){0}, &a, &a, &none), NOLI_ERROR_VALUE);
  EXPECT(noli_intersections((noli_context){0}, &a, &a, NULL), NOLI_ERROR_NULL);
  EXPECT(noli_locate_point((noli_context){0}, &a, NULL, &verdict), NOLI_ERROR_NULL);
  EXPECT(noli_time_of_impact((noli_context){0}, &moving, &moving, NULL, &impact), NOLI_ERROR_VALUE);
  EXPECT(noli_context_set_seconds(shared, NAN), NOLI_ERROR_VALUE);
}

static void freed(void) {
  noli_model model;
  noli_context context;
  noli_world world;
  uint64_t body;
  noli_verdict verdict;
  noli_finding_list list = {NULL, 0, 0, 0};
  noli_placed placed;
  EXPECT(noli_model_sphere(1, &model), NOLI_OK);
  placed.model = model;
  placed.pose = here;
  EXPECT(noli_world_new(&world), NOLI_OK);
  EXPECT(noli_world_add(world, NULL, &placed, &body), NOLI_ERROR_NULL);
  EXPECT(noli_world_add(world, "\xff", &placed, &body), NOLI_ERROR_VALUE);
  EXPECT(noli_world_add(world, "sphere", &placed, &body), NOLI_OK);
  EXPECT(noli_model_free(model), NOLI_OK);
  EXPECT(noli_model_free(model), NOLI_ERROR_HANDLE);
  EXPECT(noli_overlap((noli_context){0}, &placed, &placed, &verdict), NOLI_ERROR_HANDLE);
  EXPECT(noli_world_add(world, "again", &placed, &body), NOLI_ERROR_HANDLE);
  EXPECT(noli_world_check((noli_context){0}, world, &list), NOLI_OK);
  EXPECT(noli_world_move(world, body + 1, &here), NOLI_ERROR_HANDLE);
  EXPECT(noli_world_move(world, body, NULL), NOLI_ERROR_NULL);
  EXPECT(noli_world_set_margin(world, INFINITY), NOLI_ERROR_VALUE);
  EXPECT(noli_world_remove(world, body), NOLI_OK);
  EXPECT(noli_world_remove(world, body), NOLI_ERROR_HANDLE);
  EXPECT(noli_world_free(world), NOLI_OK);
  EXPECT(noli_world_free(world), NOLI_ERROR_HANDLE);
  EXPECT(noli_world_check((noli_context){0}, world, &list), NOLI_ERROR_HANDLE);
  EXPECT(noli_context_new(&context), NOLI_OK);
  EXPECT(noli_context_free(context), NOLI_OK);
  EXPECT(noli_context_free(context), NOLI_ERROR_HANDLE);
  EXPECT(noli_context_set_steps(context, 1), NOLI_ERROR_HANDLE);
}

static void budgets(void) {
  noli_context context;
  noli_verdict verdict;
  noli_model cone;
  noli_placed a, b;
  EXPECT(noli_model_cone(2, 1, &cone), NOLI_OK);
  a.model = b.model = cone;
  a.pose = b.pose = here;
  b.pose.x = 1.5;
  EXPECT(noli_context_new(&context), NOLI_OK);
  EXPECT(noli_context_set_steps(context, 1), NOLI_OK);
  EXPECT(noli_overlap(context, &a, &b, &verdict), NOLI_OK);
  EXPECT(noli_context_set_steps(context, 0), NOLI_OK);
  EXPECT(noli_context_cancel(context, 1), NOLI_OK);
  EXPECT(noli_overlap(context, &a, &b, &verdict), NOLI_OK);
  if (verdict == NOLI_SEPARATED) ++failures;
  EXPECT(noli_context_cancel(context, 0), NOLI_OK);
  EXPECT(noli_overlap(context, &a, &b, &verdict), NOLI_OK);
  if (verdict != NOLI_COLLIDING) ++failures;
  EXPECT(noli_context_free(context), NOLI_OK);
  EXPECT(noli_model_free(cone), NOLI_OK);
}

int main(void) {
  pthread_t threads[4];
  int i;
  if (noli_abi_version() != NOLI_ABI_VERSION || noli_last_error_code() != NOLI_OK) return 3;
  EXPECT(noli_model_sphere(1, &sphere), NOLI_OK);
  EXPECT(noli_model_sphere(2, &target), NOLI_OK);
  EXPECT(noli_context_new(&shared), NOLI_OK);
  arrays();
  values();
  freed();
  budgets();
  for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, query, NULL);
  for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, query_target, NULL);
  EXPECT(noli_model_free(target), NOLI_OK);
  for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  EXPECT(noli_model_free(sphere), NOLI_OK);
  EXPECT(noli_context_free(shared), NOLI_OK);
  printf("failures %d, busy %d, live %zu\n", failures, busy, noli_live_handles());
  return failures == 0 && noli_live_handles() == 0 ? 0 : 1;
}
