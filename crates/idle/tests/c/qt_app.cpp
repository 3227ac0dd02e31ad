// Plays an event loop's signals as it is told on stdin. The resource is called as in app.c, so that one test drives both.
#include <cstdio>
#include <cstring>

#include "stillpoint_idle_qt.h"

int main() {
  char line[64];
  if (!stillpoint::trackQt("network")) return 1;
  auto *dispatcher = QAbstractEventDispatcher::instance();
  dispatcher->block();
  std::puts("ready");
  std::fflush(stdout);
  while (std::fgets(line, sizeof line, stdin)) {
    if (std::strncmp(line, "begin", 5) == 0) {
      QEvent event;
      QCoreApplication::instance()->filter->eventFilter(dispatcher, &event);
      dispatcher->wake();
      std::puts("begun");
    } else {
      dispatcher->block();
      std::puts("ended");
    }
    std::fflush(stdout);
  }
}
