/* SPDX-License-Identifier: Apache-2.0 */
#include "svp.h"

#include <string.h>

#define FIELD(name_, type_, unit_, summary_)                                                       \
    {.name = name_, .type = STROBE_FIELD_##type_, .unit = unit_, .summary = summary_}
#define KIND(symbol_, name_, shape_, fields_, summary_)                                            \
    const StrobeKind svp_kind_##symbol_ = {                                                        \
        .struct_size = sizeof(StrobeKind),                                                         \
        .shape = STROBE_SHAPE_##shape_,                                                            \
        .name = name_,                                                                             \
        .summary = summary_,                                                                       \
        .fields = fields_,                                                                         \
        .n_fields = sizeof(fields_) / sizeof((fields_)[0]),                                        \
    }

static const StrobeField capture_fields[] = {
    FIELD("id", LINK, "", "Id that the capture's tasks have as their connection."),
    FIELD("current_pic", U64, "", "Pictures before this inference."),
    FIELD("device", U32, "", "Device."),
    FIELD("model", U32, "", "Id that the runtime gave the model."),
    FIELD("number", U32, "", "Number of the capture among the model's captures, from 1."),
    FIELD("batch", U32, "", "Pictures in a batch."),
    FIELD("pics", U32, "", "Pictures in this inference."),
    FIELD("tasks", U32, "", "Number of tasks of the inference, absent: not known."),
    FIELD("is_first", BOOL, "", "The model's first capture, whose times are too long."),
};
KIND(capture, "svp.capture", SPAN, capture_fields, "One captured inference of a board.");

static const StrobeField layer_fields[] = {
    FIELD("task", LINK, "", "Task that ran the layer."),
    FIELD("layer_id", U32, "", "Number of the layer in the model."),
    FIELD("ori_name", STRING, "", "Names of the layers in the original network."),
    FIELD("fused", STRING, "", "Layers that were fused, joined by semicolons."),
};
KIND(layer, "svp.layer", INSTANT, layer_fields, "The layer of a network that one task ran.");

static const StrobeField frequency_fields[] = {
    FIELD("frequency", F64, "MHz", "Clock of the core."),
    FIELD("device", U32, "", "Device."),
    FIELD("core", U32, "", "Number of the core."),
};
KIND(frequency, "svp.frequency", COUNTER, frequency_fields, "Clock of a board's cores.");

static const StrobeField api_call_fields[] = {
    FIELD("level", STRING, "",
          "Layer of the interface, such as acl, runtime, node, model, communication, opencl."),
    FIELD("mode", STRING, "", "Type of call within its level, such as ACL_OP, launch."),
    FIELD("item", STRING, "", "Subject of the call, such as the operator that it launches."),
    FIELD("connection", LINK, "", "Id that this call shares with the tasks that it caused."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
    FIELD("svp.device", U32, "", "Device that was set on the calling thread."),
    FIELD("svp.model", U32, "",
          "Id that the runtime gave the model, absent: the call has no model."),
    FIELD("svp.status", I32, "", "Value that the call returned."),
};
KIND(api_call, "api_call", SPAN, api_call_fields, "One call into a driver, runtime or library.");

const char svp_metrics[] = "cycles;mac_busy;mac_ppen;vec_busy;vec_ppen;dstr;dtrans;dld;wld;"
                           "ddr_read_bytes;ddr_write_bytes;icache_req;icache_miss";

unsigned svp_counter_find(const char *name, size_t length)
{
    const char *at = svp_metrics;

    for (unsigned i = 0; i < SVP_COUNTERS; i++) {
        size_t n = strcspn(at, ";");

        if (n == length && memcmp(at, name, n) == 0)
            return i;
        at += n + 1;
    }
    return SVP_COUNTERS;
}

const char *const svp_unit_names[SVP_UNITS] = {"AA_CORE", "AA_CPU", "AA_VECTOR_CORE"};

unsigned svp_unit_find(const char *name)
{
    if (name[0] != 'A' || (name[1] != 'A' && name[1] != 'I'))
        return SVP_UNITS;
    for (unsigned i = 0; i < SVP_UNITS; i++)
        if (strcmp(svp_unit_names[i] + 2, name + 2) == 0)
            return i;
    return SVP_UNITS;
}
