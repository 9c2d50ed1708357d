/* SPDX-License-Identifier: Apache-2.0 */
#include "interconnect.h"

#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>

#include "links.h"
#include "slots.h"

typedef struct Interconnect {
    const StrobeHost *host;
    StrobeInstance *self;
    int64_t interval_ns;
    StrobeKindId metadata;
    unsigned n_sources;
    StrobeDcmiSource *sources[STROBE_DCMI_DEVICES_MAX * 2];
} Interconnect;

static void interconnect_sample(void *user)
{
    Interconnect *state = user;
    for (unsigned i = 0; i < state->n_sources; i++)
        strobe_dcmi_source_tick(state->sources[i]);
}

static int64_t interconnect_sample_interval(void *user)
{
    const Interconnect *state = user;
    return state->n_sources > 0 ? state->interval_ns : 0;
}

static StrobeStatus interconnect_start(void *user)
{
    Interconnect *state = user;
    StrobeWriter *writer = state->host->writer(state->self);
    if (writer)
        interconnect_record_slots(state->host, state->host->option_text(state->self, "sys_root"),
                                  writer, state->metadata);
    for (unsigned i = 0; i < state->n_sources; i++)
        strobe_dcmi_source_begin(state->sources[i]);
    return STROBE_OK;
}

static StrobeStatus interconnect_stop(void *user)
{
    (void)user; /* a reading that is not finished belongs to no window */
    return STROBE_OK;
}

static void interconnect_close(void *user)
{
    Interconnect *state = user;
    for (unsigned i = 0; i < state->n_sources; i++)
        strobe_dcmi_source_end(state->sources[i]);
    free(state);
}

static void add_source(Interconnect *state, StrobeDcmiSource *source)
{
    if (source)
        state->sources[state->n_sources++] = source;
}

static void open_devices(Interconnect *state, const StrobeDcmi *dcmi)
{
    const StrobeHost *host = state->host;
    StrobeDcmiDevice devices[STROBE_DCMI_DEVICES_MAX];
    uint64_t deadline = (uint64_t)host->option_int(state->self, "deadline");
    int32_t time_ms = (int32_t)(host->option_int(state->self, "measuring") / 1000000);
    unsigned n = strobe_dcmi_devices(dcmi, devices);

    for (unsigned i = 0; i < n; i++) {
        add_source(state,
                   interconnect_hccs(host, state->self, dcmi, &devices[i], time_ms, deadline));
        add_source(state,
                   interconnect_pcie(host, state->self, dcmi, &devices[i], time_ms, deadline));
    }
}

static StrobeStatus open_sources(Interconnect *state)
{
    const StrobeHost *host = state->host;
    StrobeDcmi dcmi;
    const char *reason = strobe_dcmi_open(&dcmi, host->option_text(state->self, "dcmi"));

    if (!reason)
        open_devices(state, &dcmi);
    else if (interconnect_count_slots(host->option_text(state->self, "sys_root")) == 0)
        return host->fail(state->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot sample links: no accelerator on PCIe, and DCMI is missing: "
                          "reason=\"%s\"",
                          reason);
    else
        host->log(state->self, STROBE_LOG_INFO, "Links are described, but not sampled: %s", reason);
    return host->kind(state->self, &strobe_kind_metadata, &state->metadata);
}

static StrobeStatus interconnect_open(const StrobeHost *host, StrobeInstance *self,
                                      void **state_out)
{
    Interconnect *state = calloc(1, sizeof *state);
    if (!state)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot sample links: no memory");
    state->host = host;
    state->self = self;
    state->interval_ns = host->option_int(self, "interval");
    StrobeStatus status = open_sources(state);
    if (status != STROBE_OK) {
        interconnect_close(state);
        return status;
    }
    *state_out = state;
    return STROBE_OK;
}

const StrobeCollectorOps strobe_interconnect_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = interconnect_open,
    .start = interconnect_start,
    .stop = interconnect_stop,
    .close = interconnect_close,
    .sample = interconnect_sample,
    .sample_interval = interconnect_sample_interval,
};
