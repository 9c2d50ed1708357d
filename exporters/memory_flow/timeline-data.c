/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline-data.h"

#define BLOCKS_SHOWN 25u
#define KEPT_OF_PART 4u

TimelineText *timeline_text_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                MemoryRecords *records, const MemoryDevice *device)
{
    TimelineText *text = g_new0(TimelineText, 1);

    text->host = host;
    text->self = self;
    text->device = device->number < 0 ? g_strdup("cpu") : g_strdup_printf("npu:%d", device->number);
    text->most_allocated = device->most_allocated;
    text->most_reserved = device->most_reserved;
    text->flow = memory_records_flow(records, device->number);
    text->categories = categories_new(text->flow);
    text->events = timeline_events(text->categories);
    text->samples = timeline_samples(text->events);
    return text;
}

void timeline_text_free(TimelineText *text)
{
    g_array_unref(text->events);
    g_array_unref(text->samples);
    categories_free(text->categories);
    flow_free(text->flow);
    g_free(text->device);
    g_free(text);
}

static const TimelineSample *sample_at(const GArray *samples, guint i)
{
    return &g_array_index(samples, TimelineSample, i);
}

/* ---- thinning ---- */

static void keep_sample(GArray *kept, guint i)
{
    if (!kept->len || g_array_index(kept, guint, kept->len - 1) < i)
        g_array_append_val(kept, i);
}

/* Adds to `kept` the indexes of the first, the smallest, the largest and the last of the samples
 * from `from` to before `to`. */
static void keep_extremes(const GArray *samples, guint from, guint to, GArray *kept)
{
    guint least = from, most = from;

    for (guint i = from; i < to; i++) {
        if (timeline_sum(sample_at(samples, i)) < timeline_sum(sample_at(samples, least)))
            least = i;
        if (timeline_sum(sample_at(samples, i)) > timeline_sum(sample_at(samples, most)))
            most = i;
    }
    keep_sample(kept, from);
    keep_sample(kept, MIN(least, most));
    keep_sample(kept, MAX(least, most));
    keep_sample(kept, to - 1);
}

/* Returns the indexes of the samples that are written. */
static GArray *thin_samples(const GArray *samples, guint parts)
{
    GArray *kept = g_array_new(FALSE, FALSE, sizeof(guint));
    gint64 first = samples->len ? sample_at(samples, 0)->at_us : 0;
    double width = samples->len
                       ? (double)(sample_at(samples, samples->len - 1)->at_us - first + 1) / parts
                       : 1;

    for (guint from = 0, to; from < samples->len; from = to) {
        double part = (double)(sample_at(samples, from)->at_us - first) / width;

        to = from + 1;
        if (samples->len <= KEPT_OF_PART * parts) {
            keep_sample(kept, from);
            continue;
        }
        while (to < samples->len &&
               (guint)((double)(sample_at(samples, to)->at_us - first) / width) == (guint)part)
            to++;
        keep_extremes(samples, from, to, kept);
    }
    return kept;
}

/* ---- the peak ---- */

static guint find_peak(const GArray *samples)
{
    guint peak = 0;

    for (guint i = 1; i < samples->len; i++)
        if (timeline_sum(sample_at(samples, i)) > timeline_sum(sample_at(samples, peak)))
            peak = i;
    return peak;
}

typedef struct Held {
    guint32 block;
    guint64 bytes;
} Held;

static gint compare_held(gconstpointer a, gconstpointer b)
{
    const Held *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* Returns the blocks that are allocated in the microsecond `at_us`; the largest come first. */
static GArray *held_at(const Flow *flow, gint64 at_us)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(Held));

    for (guint i = 0; i < flow->blocks->len; i++) {
        const FlowBlock *block = flow_block(flow, i);
        const Held held = {i, block->bytes};

        if (block->bytes && (block->begin_ns == FLOW_BEFORE || block->begin_ns / 1000 <= at_us) &&
            block->end_ns / 1000 > at_us)
            g_array_append_val(found, held);
    }
    g_array_sort(found, compare_held);
    return found;
}

/* Returns the version that each block has in the microsecond `at_us`. */
static guint32 *versions_at(const Flow *flow, gint64 at_us)
{
    guint32 *versions = g_new0(guint32, flow->blocks->len + 1);

    for (guint i = 0; i < flow->nodes->len && flow_node(flow, i)->begin_ns / 1000 <= at_us; i++) {
        const FlowNode *node = flow_node(flow, i);
        const FlowEdge *edges = flow_edges(flow, node);

        for (guint k = 0; k < node->n_edges; k++)
            if (flow_has_output(&edges[k]))
                versions[edges[k].block] = flow_output(&edges[k]);
    }
    return versions;
}

/* ---- writing ---- */

static void put_time(StrobeJsonWriter *json, gboolean is_known, gint64 us)
{
    if (is_known)
        strobe_json_int(json, us);
    else
        strobe_json_null(json);
}

static void put_blocks(const TimelineText *text, StrobeJsonWriter *json, gint64 first_us,
                       gint64 peak_us)
{
    const Flow *flow = text->categories->flow;
    g_autofree guint32 *versions = versions_at(flow, peak_us);
    GArray *held = held_at(flow, peak_us);

    strobe_json_key(json, "blocks");
    strobe_json_begin_array(json);
    for (guint i = 0; i < held->len && i < BLOCKS_SHOWN; i++) {
        guint32 index = g_array_index(held, Held, i).block;
        const FlowBlock *block = flow_block(flow, index);
        StrobeText name = text->host->string(text->self, block->name);

        strobe_json_begin_object(json);
        strobe_json_key(json, "bytes");
        strobe_json_uint(json, block->bytes);
        strobe_json_key(json, "category");
        strobe_json_uint(json, category_of(text->categories, index, versions[index]));
        strobe_json_key(json, "name");
        strobe_json_text(json, name.bytes, MIN(name.length, 200));
        strobe_json_key(json, "begin");
        put_time(json, block->begin_ns != FLOW_BEFORE, block->begin_ns / 1000 - first_us);
        strobe_json_key(json, "end");
        put_time(json, block->end_ns != FLOW_NEVER, block->end_ns / 1000 - first_us);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
    g_array_unref(held);
}

static void put_samples(const GArray *samples, const GArray *kept, StrobeJsonWriter *json,
                        gint64 first_us)
{
    strobe_json_key(json, "times");
    strobe_json_begin_array(json);
    for (guint i = 0; i < kept->len; i++)
        strobe_json_int(json, sample_at(samples, g_array_index(kept, guint, i))->at_us - first_us);
    strobe_json_end_array(json);
    strobe_json_key(json, "held");
    strobe_json_begin_array(json);
    for (guint k = 0; k < N_CATEGORIES; k++) {
        strobe_json_begin_array(json);
        for (guint i = 0; i < kept->len; i++)
            strobe_json_int(json, sample_at(samples, g_array_index(kept, guint, i))->held[k]);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
}

static void put_total(StrobeJsonWriter *json, const char *key, gint64 bytes)
{
    strobe_json_key(json, key);
    if (bytes == STROBE_ABSENT_I64)
        strobe_json_null(json);
    else
        strobe_json_int(json, bytes);
}

void timeline_write_data(const TimelineText *text, guint parts, StrobeJsonWriter *json)
{
    GArray *kept = thin_samples(text->samples, parts);
    guint peak = find_peak(text->samples), shown = 0;
    gint64 first_us = text->samples->len ? sample_at(text->samples, 0)->at_us : 0;

    while (shown + 1 < kept->len && g_array_index(kept, guint, shown) < peak)
        shown++;
    strobe_json_begin_object(json);
    strobe_json_key(json, "device");
    strobe_json_string(json, text->device);
    strobe_json_key(json, "begin");
    strobe_json_int(json, first_us > 0
                              ? first_us * 1000 - text->host->metadata(text->self)->window_begin_ns
                              : 0);
    strobe_json_key(json, "n_blocks");
    strobe_json_uint(json, text->categories->flow->blocks->len);
    put_total(json, "most_allocated", text->most_allocated);
    put_total(json, "most_reserved", text->most_reserved);
    strobe_json_key(json, "is_thinned");
    strobe_json_bool(json, kept->len < text->samples->len);
    strobe_json_key(json, "peak");
    strobe_json_uint(json, shown);
    put_samples(text->samples, kept, json, first_us);
    put_blocks(text, json, first_us,
               text->samples->len ? sample_at(text->samples, peak)->at_us : 0);
    strobe_json_end_object(json);
    g_array_unref(kept);
}
