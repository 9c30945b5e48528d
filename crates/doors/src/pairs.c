/* Relation of two bodies by the C interface: a line has both, and is answered by a word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noli.h"

static void check(noli_status status) {
  if (status == NOLI_OK) return;
  fprintf(stderr, "%d: %s\n", (int)status, noli_last_error_message());
  exit(1);
}

static int read_body(noli_placed *body) {
  char shape[32], first[256];
  char second[32];
  double z;
  noli_pose *p = &body->pose;
  if (scanf("%31s %255s %31s %lf", shape, first, second, &z) != 4) return 0;
  if (scanf("%lf %lf %lf %lf %lf %lf %lf", &p->x, &p->y, &p->z, &p->qx, &p->qy, &p->qz, &p->qw) != 7) return 0;
  const double x = atof(first), y = atof(second);
  if (strcmp(shape, "box") == 0) check(noli_model_box(x, y, z, &body->model));
  else if (strcmp(shape, "ellipsoid") == 0) check(noli_model_ellipsoid(x, y, z, &body->model));
  else if (strcmp(shape, "sphere") == 0) check(noli_model_sphere(x, &body->model));
  else if (strcmp(shape, "cylinder") == 0) check(noli_model_cylinder(y, x, &body->model));
  else if (strcmp(shape, "capsule") == 0) check(noli_model_capsule(y, x, &body->model));
  else if (strcmp(shape, "cone") == 0) check(noli_model_cone(y, x, &body->model));
  else if (strcmp(shape, "half_space") == 0) check(noli_model_half_space(&body->model));
  else check(noli_model_file(first, strcmp(second, "solid") == 0, &body->model));
  return 1;
}

int main(void) {
  static const char *const words[] = {"separated", "touching", "intersecting", "inside", "undecided"};
  noli_placed a, b;
  noli_context context;
  check(noli_context_new(&context));
  while (read_body(&a) && read_body(&b)) {
    noli_relation_kind relation;
    check(noli_relation(context, &a, &b, &relation));
    printf("%s\n", words[relation]);
    fflush(stdout);
    check(noli_model_free(a.model));
    check(noli_model_free(b.model));
  }
  check(noli_context_free(context));
  return 0;
}
