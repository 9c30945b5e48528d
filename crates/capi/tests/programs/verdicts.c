/* Reads pairs of poses and prints the answers of all queries, for a comparison with the library in Rust. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "noli.h"

static void check(noli_status status) {
  if (status == NOLI_OK) return;
  fprintf(stderr, "%d: %s\n", (int)status, noli_last_error_message());
  exit(1);
}

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

int main(void) {
  enum { MODELS = 9 };
  noli_model models[MODELS];
  noli_mesh_data mesh = {cube, 8, faces, 12, 1};
  noli_context context;
  const noli_context plain = {0};
  int a, b;
  noli_pose p, q;
  check(noli_model_mesh(&mesh, &models[0]));
  mesh.solid = 0;
  check(noli_model_mesh(&mesh, &models[1]));
  check(noli_model_convex(cube, 7, &models[2]));
  check(noli_model_sphere(1.0, &models[3]));
  check(noli_model_box(1.0, 2.0, 3.0, &models[4]));
  check(noli_model_capsule(2.0, 0.5, &models[5]));
  check(noli_model_cylinder(2.0, 1.0, &models[6]));
  check(noli_model_cone(2.0, 1.0, &models[7]));
  check(noli_model_half_space(&models[8]));
  check(noli_context_new(&context));
  while (scanf("%d %d %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &a, &b, &p.x, &p.y, &p.z, &p.qx, &p.qy,
               &p.qz, &p.qw, &q.x, &q.y, &q.z, &q.qx, &q.qy, &q.qz, &q.qw) == 16) {
    const noli_placed first = {models[a], p}, second = {models[b], q};
    noli_verdict overlap, again, within, contact_verdict;
    noli_relation_kind relation;
    noli_clearance_result clearance;
    noli_contact_point contact = {{0}, {0}, {0}, 0, 0};
    noli_penetration_result depth;
    noli_moving moving = {models[b], {NOLI_MOTION_BETWEEN, q, p, {0}, {0}, {0}}};
    noli_moving still = {models[a], {NOLI_MOTION_STILL, p, p, {0}, {0}, {0}}};
    noli_impact impact;
    noli_intersection items[8];
    noli_intersection_list list = {items, 8, 0, 0};
    noli_ray ray = {{-9, 0.25, 0.125}, {1, 0, 0}, INFINITY};
    noli_ray_hit hits[8];
    noli_ray_hit_list ray_list = {hits, 8, 0, 0};
    int32_t location;
    check(noli_overlap(plain, &first, &second, &overlap));
    check(noli_overlap(context, &first, &second, &again));
    if (again != overlap) return 3; /* memory and hints change the time, never a verdict */
    check(noli_within_distance(plain, &first, &second, 0.5, &within));
    check(noli_relation(plain, &first, &second, &relation));
    check(noli_clearance(plain, &first, &second, INFINITY, &clearance));
    check(noli_contact(plain, &first, &second, &contact_verdict, &contact));
    check(noli_penetration(plain, &first, &second, 0, &depth));
    check(noli_time_of_impact(plain, &still, &moving, NULL, &impact));
    check(noli_intersections(plain, &first, &second, &list));
    check(noli_ray_cast(plain, &first, &ray, &ray_list));
    check(noli_locate_point(plain, &second, ray.origin, &location));
    printf("%d %d %d %.17g %.17g %d %.17g %.17g %.17g %d %.17g %d %d %d\n", (int)overlap, (int)within, (int)relation,
           clearance.at_least, clearance.at_most, (int)contact_verdict, contact.depth_at_most, depth.at_least,
           depth.at_most, (int)impact.kind, impact.safe_until, (int)list.count, (int)ray_list.count, (int)location);
  }
  for (a = 0; a < MODELS; ++a) check(noli_model_free(models[a]));
  check(noli_context_free(context));
  return noli_live_handles() == 0 ? 0 : 2;
}
