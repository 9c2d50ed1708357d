/* SPDX-License-Identifier: Apache-2.0 */
/* State that all items of host_sys share: the folders, the clock, tracks, and the buffer for files.
 * Only one thread at a time may use the state. */
#ifndef STROBE_PLUGINS_HOST_SYS_CONTEXT_H
#define STROBE_PLUGINS_HOST_SYS_CONTEXT_H

#include <stdint.h>
#include <strobe/collector.h>
#include <strobe/kinds.h>
#include <sys/types.h>

/* Shortest interval for counters in ticks of 10 ms and for files that are slow to read: 100 ms,
 * less the tolerance of a sampler. */
#define HOST_SLOW_NS 90000000u

typedef struct HostContext {
    const StrobeHost *host;
    StrobeInstance *self;
    const char *proc_root, *sys_root;
    pid_t pid;
    int is_live; /* proc_root is the real /proc, not a recorded tree */
    int uptime;  /* descriptor of a recorded tree's clock */
    long page_size;
    uint64_t tick_ns;
    char *text; /* buffer for the contents of one file */
    size_t text_size;
} HostContext;

/* One item of the option `items`. */
typedef struct HostItem {
    const char *name;
    /* Opens the item. Returns STROBE_OK, or STROBE_UNAVAILABLE with the path of the missing file in
     * `context->text`. */
    StrobeStatus (*open)(HostContext *context, void **state);
    /* Called when a window begins. The item must forget the counters of the previous window. */
    void (*start)(void *state);
    void (*sample)(void *state, StrobeWriter *writer);
    void (*stop)(void *state); /* may be NULL */
    void (*close)(void *state);
} HostItem;

/* Returns 0, or -1 if out of memory. */
int host_context_init(HostContext *context, const StrobeHost *host, StrobeInstance *self);
void host_context_clear(HostContext *context);

/* Returns the time from which rates are computed: CLOCK_MONOTONIC, or the recorded tree's uptime; 0
 * if that cannot be read. */
uint64_t host_clock(const HostContext *context);

StrobeTrackId host_counter_track(const HostContext *context, const char *group);
StrobeStringId host_name(const HostContext *context, StrobeWriter *writer, const char *name);

/* Logs, once, why an item is not sampled. If errno is not 0, it is the reason; otherwise the reason
 * is that the file has an unknown form. Logs nothing if the program has ended. */
void host_report(const HostContext *context, int *has_failed, const char *file);
/* Writes the path of the missing file to `text`, for the caller's message. */
StrobeStatus host_unavailable(HostContext *context, const char *root, const char *name);

static inline double host_percent(uint64_t used, uint64_t interval)
{
    return (double)used * 100.0 / (double)interval;
}

static inline double host_rate(uint64_t count, uint64_t interval)
{
    return (double)count * 1e9 / (double)interval;
}

/* Returns the growth of a counter; 0 if the counter has become smaller, because it was reset. */
static inline uint64_t host_grown(uint64_t now, uint64_t last)
{
    return now > last ? now - last : 0;
}

#endif
