/* Begins and ends work as it is told on stdin. */
#include <stdio.h>
#include <string.h>

#include "stillpoint_idle.h"

int main(void) {
  char line[64];
  uint64_t ticket = 0;
  if (sp_idle_start() != 0) {
    char why[512];
    sp_idle_why_not(why, sizeof why);
    printf("no: %s\n", why);
    return 0;
  }
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "begin", 5) == 0) {
      ticket = sp_idle_begin("network");
      puts(ticket ? "begun" : "nowhere");
    } else {
      sp_idle_end(ticket);
      puts("ended");
    }
    fflush(stdout);
  }
  return 0;
}
