/* SPDX-License-Identifier: Apache-2.0 */
#include "host_sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host-sys-context.h"
#include "cpu.h"
#include "disk.h"
#include "host-sys-memory.h"
#include "network.h"
#include "pressure.h"
#include <strobe/helpers/sys-file.h>
#include "throttle.h"

static const HostItem *const items[] = {
    &host_item_cpu,     &host_item_memory,   &host_item_disk,
    &host_item_network, &host_item_pressure, &host_item_throttle,
};
#define N_ITEMS (sizeof items / sizeof *items)

typedef struct HostSys {
    HostContext context;
    int64_t interval_ns;
    void *states[N_ITEMS]; /* NULL: the item is not selected or not available */
    uint64_t sampled_ns;   /* time when the last sample was taken */
} HostSys;

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int list_has(const char *list, const char *item)
{
    size_t wanted = strlen(item);
    while (*list) {
        size_t length = strcspn(list, "+");
        if (length == wanted && memcmp(list, item, length) == 0)
            return 1;
        list += length + (list[length] == '+');
    }
    return 0;
}

static void sample_now(HostSys *state)
{
    StrobeWriter *writer = state->context.host->writer(state->context.self);
    if (!writer)
        return;
    for (size_t i = 0; i < N_ITEMS; i++)
        if (state->states[i])
            items[i]->sample(state->states[i], writer);
    state->sampled_ns = monotonic_ns();
}

/* Takes a sample, unless the last one is less than half an interval ago: a rate over a shorter time
 * is not meaningful. */
static void host_sys_sample(void *user)
{
    HostSys *state = user;
    if (monotonic_ns() - state->sampled_ns >= (uint64_t)state->interval_ns / 2)
        sample_now(state);
}

static int64_t host_sys_sample_interval(void *user)
{
    const HostSys *state = user;
    for (size_t i = 0; i < N_ITEMS; i++)
        if (state->states[i])
            return state->interval_ns;
    return 0;
}

static void host_sys_close(void *user)
{
    HostSys *state = user;
    for (size_t i = 0; i < N_ITEMS; i++)
        if (state->states[i])
            items[i]->close(state->states[i]);
    host_context_clear(&state->context);
    free(state);
}

/* Opens the items in `wanted`. If an item cannot be opened, the other items are still sampled. */
static StrobeStatus open_items(HostSys *state, const char *wanted)
{
    const StrobeHost *host = state->context.host;
    StrobeStatus status = STROBE_OK;
    size_t n_open = 0;

    for (size_t i = 0; i < N_ITEMS; i++) {
        if (!list_has(wanted, items[i]->name))
            continue;
        StrobeStatus opened = items[i]->open(&state->context, &state->states[i]);
        n_open += opened == STROBE_OK;
        if (opened == STROBE_OK)
            continue;
        if (opened != STROBE_UNAVAILABLE) /* the item has already reported the reason */
            return opened;
        const char *reason = errno ? strerror(errno) : "the file has an unknown form";
        host->log(state->context.self, STROBE_LOG_WARNING,
                  "Cannot sample: item=\"%s\", path=\"%s\", reason=\"%s\"", items[i]->name,
                  state->context.text, reason);
        status = host->fail(state->context.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                            "Cannot sample: item=\"%s\", path=\"%s\", reason=\"%s\"",
                            items[i]->name, state->context.text, reason);
    }
    return n_open > 0 ? STROBE_OK : status;
}

static StrobeStatus open_clock(HostContext *context)
{
    if (context->is_live)
        return STROBE_OK;
    context->uptime = strobe_sys_open(context->proc_root, "uptime");
    if (context->uptime >= 0 && (errno = 0, host_clock(context)) != 0)
        return STROBE_OK;
    return context->host->fail(context->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                               "Cannot sample: path=\"%s/uptime\", reason=\"%s\"",
                               context->proc_root,
                               errno ? strerror(errno) : "the file has an unknown form");
}

static StrobeStatus host_sys_open(const StrobeHost *host, StrobeInstance *self, void **state_out)
{
    HostSys *state = calloc(1, sizeof *state);
    if (!state || host_context_init(&state->context, host, self) != 0) {
        free(state);
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot sample: no memory");
    }
    state->interval_ns = host->option_int(self, "interval");
    StrobeStatus status = open_clock(&state->context);
    if (status == STROBE_OK)
        status = open_items(state, host->option_text(self, "items"));
    if (status != STROBE_OK) {
        host_sys_close(state);
        return status;
    }
    *state_out = state;
    return STROBE_OK;
}

/* Takes the window's first sample, from which the first difference is computed. */
static StrobeStatus host_sys_start(void *user)
{
    HostSys *state = user;
    for (size_t i = 0; i < N_ITEMS; i++)
        if (state->states[i])
            items[i]->start(state->states[i]);
    sample_now(state);
    return STROBE_OK;
}

/* Takes the window's last sample, so that a window that is shorter than the interval also has a
 * row. */
static StrobeStatus host_sys_stop(void *user)
{
    HostSys *state = user;
    host_sys_sample(state);
    for (size_t i = 0; i < N_ITEMS; i++)
        if (state->states[i] && items[i]->stop)
            items[i]->stop(state->states[i]);
    return STROBE_OK;
}

const StrobeCollectorOps strobe_host_sys_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = host_sys_open,
    .start = host_sys_start,
    .stop = host_sys_stop,
    .close = host_sys_close,
    .sample = host_sys_sample,
    .sample_interval = host_sys_sample_interval,
};
