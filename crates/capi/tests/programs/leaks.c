/* Many calls that create and free objects, and fail: the memory of the process must not grow with them.
 *   leaks [CALLS [sanitized]]   a sanitizer keeps freed memory and finds leaks itself, so its growth does not count */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "noli.h"

static long resident_pages(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  fclose(file);
  return resident;
}

static int round_of_calls(int number) {
  const noli_pose here = {0, 0, 0, 0, 0, 0, 1};
  noli_placed a = {{0}, here}, b = {{0}, here};
  noli_context context;
  noli_world world;
  noli_verdict verdict;
  noli_clearance_result clearance;
  uint64_t body;
  int wrong = 0;
  wrong |= noli_model_box(1, 1, 1, &a.model) != NOLI_OK;
  wrong |= noli_model_sphere(0.5, &b.model) != NOLI_OK;
  b.pose.x = 0.001 * (number % 2000);
  wrong |= noli_context_new(&context) != NOLI_OK;
  wrong |= noli_overlap(context, &a, &b, &verdict) != NOLI_OK;
  wrong |= noli_clearance(context, &a, &b, INFINITY, &clearance) != NOLI_OK;
  wrong |= noli_world_new(&world) != NOLI_OK;
  wrong |= noli_world_add(world, "a", &a, &body) != NOLI_OK;
  wrong |= noli_model_sphere(NAN, &b.model) != NOLI_ERROR_VALUE;
  wrong |= noli_model_free(a.model) != NOLI_OK;
  wrong |= noli_model_free(b.model) != NOLI_OK;
  wrong |= noli_model_free(b.model) != NOLI_ERROR_HANDLE;
  wrong |= noli_world_free(world) != NOLI_OK;
  wrong |= noli_context_free(context) != NOLI_OK;
  return wrong;
}

int main(int count, char **arguments) {
  const int calls = count > 1 ? atoi(arguments[1]) : 1000000;
  int i, wrong = 0;
  long before;
  for (i = 0; i < calls / 130; ++i) wrong |= round_of_calls(i);
  before = resident_pages();
  for (i = 0; i < calls / 13; ++i) wrong |= round_of_calls(i);
  printf("calls %d, growth %ld kB, live %zu\n", calls, (resident_pages() - before) * (sysconf(_SC_PAGESIZE) / 1024),
         noli_live_handles());
  return wrong || noli_live_handles() != 0 || (count < 3 && resident_pages() - before > 512);
}
