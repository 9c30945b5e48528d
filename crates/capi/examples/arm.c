/* A loop as programs over Pinocchio have it: joint values, poses of all geometry, then every collision pair.
 *
 *   cc arm.c $(pkg-config --cflags --libs noli) -lm -o arm && ./arm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <noli.h>

enum { LINKS = 3, OBSTACLES = 2, STEPS = 500 };

static void check(noli_status status) {
  if (status == NOLI_OK) return;
  fprintf(stderr, "error %d: %s\n", (int)status, noli_last_error_message());
  exit(1);
}

/* Forward kinematics of a planar arm: capsules along the links, turning about z. */
static void place_links(const double *q, noli_placed *links) {
  double x = 0, y = 0, angle = 0;
  int i;
  for (i = 0; i < LINKS; ++i) {
    angle += q[i];
    /* A capsule lies along z: a quarter turn about y puts it along x, then the joint turns it about z. */
    const double half = angle / 2, s = sqrt(0.5);
    links[i].pose.x = x + 0.25 * cos(angle);
    links[i].pose.y = y + 0.25 * sin(angle);
    links[i].pose.z = 0;
    links[i].pose.qx = -sin(half) * s;
    links[i].pose.qy = cos(half) * s;
    links[i].pose.qz = sin(half) * s;
    links[i].pose.qw = cos(half) * s;
    x += 0.5 * cos(angle);
    y += 0.5 * sin(angle);
  }
}

int main(void) {
  noli_model link, table, post;
  noli_placed links[LINKS], obstacles[OBSTACLES];
  int step, i, j, collisions = 0;
  double nearest = INFINITY;

  check(noli_model_capsule(0.4, 0.05, &link));
  check(noli_model_box(0.2, 3.0, 0.5, &table));
  check(noli_model_cylinder(1.0, 0.1, &post));
  for (i = 0; i < LINKS; ++i) links[i].model = link;
  obstacles[0] = (noli_placed){table, {1.2, 0, 0, 0, 0, 0, 1}};
  obstacles[1] = (noli_placed){post, {-0.6, 0.6, 0, 0, 0, 0, 1}};

  for (step = 0; step < STEPS; ++step) {
    const double q[LINKS] = {0.02 * step, 0.9 * sin(0.05 * step), 1.3 * sin(0.03 * step)};
    int in_collision = 0;
    place_links(q, links);
    for (i = 0; i < LINKS; ++i)
      for (j = 0; j < OBSTACLES; ++j) {
        noli_verdict verdict;
        noli_clearance_result distance;
        check(noli_overlap((noli_context){0}, &links[i], &obstacles[j], &verdict));
        in_collision |= verdict != NOLI_SEPARATED;
        if (verdict == NOLI_SEPARATED) {
          check(noli_clearance((noli_context){0}, &links[i], &obstacles[j], INFINITY, &distance));
          if (distance.at_most < nearest) nearest = distance.at_most;
        }
      }
    collisions += in_collision;
  }
  printf("%d of %d configurations collide; the nearest separated pair: %.6f\n", collisions, STEPS, nearest);

  check(noli_model_free(link));
  check(noli_model_free(table));
  check(noli_model_free(post));
  return noli_live_handles() == 0 ? 0 : 1;
}
