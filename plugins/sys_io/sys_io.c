/* SPDX-License-Identifier: Apache-2.0 */
#include "sys_io.h"

#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sampler.h>
#include "sys-io-devices.h"
#include "ports.h"

typedef struct SysIo {
    const StrobeHost *host;
    StrobeInstance *self;
    int64_t interval_ns;
    uint64_t sampled_at;
    SysPorts *ports;
    unsigned n_devices;
    StrobeDcmiSource *devices[STROBE_DCMI_DEVICES_MAX];
} SysIo;

static void sample_now(SysIo *state)
{
    StrobeWriter *writer = state->host->writer(state->self);
    if (!writer)
        return;
    sys_ports_sample(state->ports, writer);
    for (unsigned i = 0; i < state->n_devices; i++)
        strobe_dcmi_source_tick(state->devices[i]);
    state->sampled_at = strobe_sampler_now();
}

/* Takes a sample, unless less than half of the interval has passed since the last one: a rate over
 * a shorter time is not meaningful. */
static void sys_io_sample(void *user)
{
    SysIo *state = user;
    if (strobe_sampler_now() - state->sampled_at >= (uint64_t)state->interval_ns / 2)
        sample_now(state);
}

static int64_t sys_io_sample_interval(void *user)
{
    const SysIo *state = user;
    return state->interval_ns;
}

static StrobeStatus sys_io_start(void *user)
{
    SysIo *state = user;
    sys_ports_start(state->ports);
    for (unsigned i = 0; i < state->n_devices; i++)
        strobe_dcmi_source_begin(state->devices[i]);
    sample_now(state);
    return STROBE_OK;
}

static StrobeStatus sys_io_stop(void *user)
{
    sys_io_sample(user);
    return STROBE_OK;
}

static void sys_io_close(void *user)
{
    SysIo *state = user;
    for (unsigned i = 0; i < state->n_devices; i++)
        strobe_dcmi_source_end(state->devices[i]);
    sys_ports_close(state->ports);
    free(state);
}

/* Opens the network ports of Ascend devices. Logs a failure only for debugging, because most hosts
 * have no such devices. */
static void open_devices(SysIo *state)
{
    const StrobeHost *host = state->host;
    StrobeDcmiDevice devices[STROBE_DCMI_DEVICES_MAX];
    StrobeDcmi dcmi;
    uint64_t deadline = (uint64_t)host->option_int(state->self, "deadline");
    const char *reason = strobe_dcmi_open(&dcmi, host->option_text(state->self, "dcmi"));

    if (reason) {
        host->log(state->self, STROBE_LOG_DEBUG, "No devices: %s", reason);
        return;
    }
    unsigned n = strobe_dcmi_devices(&dcmi, devices);
    for (unsigned i = 0; i < n; i++) {
        StrobeDcmiSource *source = sys_device_open(host, state->self, &dcmi, &devices[i], deadline);
        if (source)
            state->devices[state->n_devices++] = source;
    }
}

static StrobeStatus sys_io_open(const StrobeHost *host, StrobeInstance *self, void **state_out)
{
    SysIo *state = calloc(1, sizeof *state);
    if (state) {
        state->host = host;
        state->self = self;
        state->interval_ns = host->option_int(self, "interval");
        state->ports = sys_ports_open(host, self);
    }
    if (!state || !state->ports) {
        free(state);
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot sample: no memory");
    }
    open_devices(state);
    *state_out = state;
    return STROBE_OK;
}

const StrobeCollectorOps strobe_sys_io_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = sys_io_open,
    .start = sys_io_start,
    .stop = sys_io_stop,
    .close = sys_io_close,
    .sample = sys_io_sample,
    .sample_interval = sys_io_sample_interval,
};
