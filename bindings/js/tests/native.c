/* Overlap and clearance of two mesh files at many poses, by the C interface on this machine:
 *   native A B POSES ANSWERS
 * POSES has seven doubles a pose of B (x y z qx qy qz qw); ANSWERS gets three a pose: the verdict, and the bracket of the
 * distance. Prints nanoseconds of CPU time a query. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "noli.h"

static void check(noli_status status) {
  if (status == NOLI_OK) return;
  fprintf(stderr, "%d: %s\n", (int)status, noli_last_error_message());
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments) {
  noli_placed a = {{0}, {0, 0, 0, 0, 0, 0, 1}}, b = a;
  noli_context context;
  FILE *poses, *answers;
  double numbers[7], overlap = 0, clearance = 0;
  long n = 0;
  if (count != 5) return 2;
  check(noli_model_file(arguments[1], 0, &a.model));
  check(noli_model_file(arguments[2], 0, &b.model));
  check(noli_context_new(&context));
  poses = fopen(arguments[3], "rb");
  answers = fopen(arguments[4], "wb");
  if (poses == NULL || answers == NULL) return 3;
  while (fread(numbers, sizeof numbers, 1, poses) == 1) {
    noli_verdict verdict;
    noli_clearance_result found;
    double answer[3], start, middle;
    const noli_pose pose = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]};
    b.pose = pose;
    start = seconds();
    check(noli_overlap(context, &a, &b, &verdict));
    middle = seconds();
    check(noli_clearance(context, &a, &b, INFINITY, &found));
    overlap += middle - start;
    clearance += seconds() - middle;
    answer[0] = verdict;
    answer[1] = found.at_least;
    answer[2] = found.at_most;
    if (fwrite(answer, sizeof answer, 1, answers) != 1) return 4;
    ++n;
  }
  fclose(poses);
  if (fclose(answers) != 0) return 4;
  printf("{\"poses\": %ld, \"overlap_ns\": %.0f, \"clearance_ns\": %.0f}\n", n, 1e9 * overlap / (double)n,
         1e9 * clearance / (double)n);
  return 0;
}
