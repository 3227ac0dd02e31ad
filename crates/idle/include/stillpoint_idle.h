/* Says when this app has work in flight. Generated from src/c_abi.rs; change that, not this.
 * Link with -lstillpoint_idle. Docs: docs/idle.md */

#ifndef STILLPOINT_IDLE_H
#define STILLPOINT_IDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Starts reporting. Returns 0, or -1 if nothing can be reported (see sp_idle_why_not). Never needed, since the first
// begin starts by itself; but an app that has not been busy yet can only be seen after this.
int32_t sp_idle_start(void);

// Stops reporting for good: readers see the app as lost.
void sp_idle_stop(void);

// Says that work called `name` (UTF-8) is in flight. Returns a ticket for sp_idle_end, or 0 if it counts nowhere;
// ending 0 does nothing. Lock-free; may be called in a signal handler once sp_idle_start has returned.
//
// # Safety
// `name` must be null or a string that ends with a zero byte.
uint64_t sp_idle_begin(const char *name);

// Says that the work with this ticket has ended. Each ticket is ended once, on any thread. A ticket from before a fork
// is ignored in the child.
void sp_idle_end(uint64_t ticket);

// Writes why nothing is reported (or an empty string, if all is well) to `buffer`, cut to `size` bytes with a zero at
// the end. Returns the length of the whole text.
//
// # Safety
// `buffer` must be null or point to `size` bytes that may be written.
size_t sp_idle_why_not(char *buffer,
                       size_t size);

// Writes the path of this process's page (or an empty string, if there is none) to `buffer`, as sp_idle_why_not does.
//
// # Safety
// `buffer` must be null or point to `size` bytes that may be written.
size_t sp_idle_path(char *buffer,
                    size_t size);

// Reports the GLib main loop (GTK 3 and 4) as "glib" while it dispatches. With `timer_ms` above 0 also as "glib-timer"
// while it sleeps for a timer that is due within that time. Returns 0; -1 if this process has no GLib.
int32_t sp_idle_track_glib(uint32_t timer_ms);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STILLPOINT_IDLE_H */
