/* SPDX-License-Identifier: Apache-2.0 */
/* A collector whose source fails in the middle of a window: it records 600 of 1000 items, counts
 * the others as lost, and reports the failure in `stop`. */
#include <stddef.h>
#include <strobe/strobe-plugin.h>

#define ITEMS 1000u
#define GOOD_ITEMS 600u

static const StrobeField fields[] = {{"number", STROBE_FIELD_U64, 0, "", "Its number."}};

static const StrobeKind item = {.struct_size = sizeof item,
                                .shape = STROBE_SHAPE_INSTANT,
                                .name = "fails_midway.item",
                                .summary = "For tests.",
                                .fields = fields,
                                .n_fields = 1};

static const StrobeKind *const kinds[] = {&item};

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
} state;

static StrobeStatus open_source(const StrobeHost *host, StrobeInstance *self, void **out)
{
    state.host = host;
    state.self = self;
    *out = &state;
    return host->kind(self, &item, &state.kind);
}

static StrobeStatus start_collector(void *data)
{
    (void)data;
    for (uint64_t i = 0; i < GOOD_ITEMS; i++) {
        StrobeWriter *writer = state.host->writer(state.self);
        uint64_t *number = state.host->reserve(writer, state.kind, 0, 0, state.host->now(), 0);
        if (!number)
            continue;
        *number = i;
        state.host->commit(writer);
    }
    state.host->lost(state.self, STROBE_LOSS_COLLECTOR_FAILED, ITEMS - GOOD_ITEMS);
    return STROBE_OK;
}

static StrobeStatus stop_collector(void *data)
{
    (void)data;
    return state.host->fail(state.self, STROBE_ERROR_FAILED, __FILE__, __LINE__, "made to fail");
}

static void close_source(void *data)
{
    (void)data;
}

static const StrobeCollectorOps ops = {.struct_size = sizeof ops,
                                       .open = open_source,
                                       .start = start_collector,
                                       .stop = stop_collector,
                                       .close = close_source};

static const StrobeComponent component = {.struct_size = sizeof component,
                                          .type = STROBE_COMPONENT_COLLECTOR,
                                          .name = "fails_midway",
                                          .summary = "For tests.",
                                          .kinds = kinds,
                                          .n_kinds = 1,
                                          .ops = &ops};

STROBE_PLUGIN(component, .name = "fails_midway", .version = "1", .summary = "For tests.",
              .license = "Apache-2.0", .vendor = "Strobe");
