/* SPDX-License-Identifier: Apache-2.0 */
#include "report-ranks.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "held-result.h"
#include "pipeline.h"
#include "progress-bar.h"
#include "report-scratch.h"

enum { STAGE, COMPUTING, OVERLAPPED, ALONE, IDLE, DEVICE, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [STAGE] = {"stage", STROBE_FIELD_F64},
    [COMPUTING] = {"computing", STROBE_FIELD_F64},
    [OVERLAPPED] = {"overlapped", STROBE_FIELD_F64},
    [ALONE] = {"communication_not_overlapped", STROBE_FIELD_F64},
    [IDLE] = {"free", STROBE_FIELD_F64},
    [DEVICE] = {"device", STROBE_FIELD_I32},
};

/* The sums over the steps of one device of one rank; times in us. */
typedef struct RankRow {
    gint rank, device;
    guint64 n_steps;
    double sums[DEVICE];
} RankRow;

typedef struct RankReading {
    GArray *rows; /* of RankRow */
    gint rank;
    StrobeBinder binder;
} RankReading;

/* The ranks that are being read. It is a global variable, because a consumer receives no user
 * pointer; this command runs one pipeline at a time. */
static RankReading *reading;

static StrobeStatus ranks_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    reading->rank = host->metadata(self)->rank;
    reading->binder = (StrobeBinder){.wanted = wanted, .n_wanted = N_WANTED};
    *state = reading;
    return STROBE_OK;
}

static RankRow *find_row(RankReading *r, gint device)
{
    for (guint i = 0; i < r->rows->len; i++) {
        RankRow *row = &g_array_index(r->rows, RankRow, i);
        if (row->rank == r->rank && row->device == device)
            return row;
    }
    const RankRow row = {.rank = r->rank, .device = device};
    g_array_append_val(r->rows, row);
    return &g_array_index(r->rows, RankRow, r->rows->len - 1);
}

static StrobeStatus ranks_batch(void *state, const StrobeView *records, size_t n)
{
    RankReading *r = state;

    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = strobe_binder_offsets(&r->binder, records[i].kind);
        RankRow *row = find_row(r, strobe_field_i32(&records[i], at[DEVICE], -1));

        row->n_steps++;
        for (guint field = 0; field < DEVICE; field++)
            row->sums[field] += MAX(strobe_field_f64(&records[i], at[field], 0), 0);
    }
    return STROBE_OK;
}

static StrobeStatus ranks_end(void *state)
{
    (void)state;
    return STROBE_OK;
}

static void ranks_close(void *state)
{
    (void)state;
}

static gboolean read_rank(RankReading *r, StrobeRegistry *registry, const StrobeResult *result,
                          GError **error)
{
    static const char *const wants[] = {"step_trace", NULL};
    const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                   .open = ranks_open,
                                   .batch = ranks_batch,
                                   .end = ranks_end,
                                   .close = ranks_close};
    const StrobeComponent component = {.struct_size = sizeof component,
                                       .type = STROBE_COMPONENT_EXPORTER,
                                       .name = "ranks",
                                       .summary = "Device times of a rank.",
                                       .wants = wants,
                                       .ops = &ops};
    StrobePipeline *pipeline = strobe_pipeline_new(registry);
    StrobeHeldResult held;
    GError *failure = NULL;
    gboolean good = FALSE;

    reading = r;
    strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "reading ranks");
    if (strobe_pipeline_add_consumer(pipeline, &component, error) &&
        strobe_held_result_open(&held, result, error)) {
        good = strobe_pipeline_run(pipeline, &held.result, &failure);
        if (!good)
            g_propagate_error(error, strobe_held_result_name(&held, failure));
        strobe_held_result_close(&held);
    }
    strobe_bar_clear();
    strobe_pipeline_free(pipeline);
    return good;
}

/* ---- output ---- */

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const RankRow *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->device > y->device) - (x->device < y->device);
}

static gint compare_stages(gconstpointer a, gconstpointer b)
{
    const RankRow *x = a, *y = b;

    return x->sums[STAGE] != y->sums[STAGE] ? (x->sums[STAGE] < y->sums[STAGE] ? 1 : -1)
                                            : compare_rows(a, b);
}

/* Writes a row as an object. `n_summed` is the number of rows of which `row` is the sum; 0: it is
 * the row of one device. */
static void write_row(const RankRow *row, guint n_summed, StrobeJsonWriter *json)
{
    strobe_json_begin_object(json);
    if (n_summed) {
        strobe_json_key(json, "summed");
        strobe_json_uint(json, n_summed);
    } else {
        strobe_json_key(json, "rank");
        strobe_json_int(json, row->rank);
        strobe_json_key(json, "device");
        strobe_json_int(json, row->device);
    }
    strobe_json_key(json, "steps");
    strobe_json_uint(json, row->n_steps);
    for (guint field = 0; field < DEVICE; field++) {
        strobe_json_key_text(json, wanted[field].name, strlen(wanted[field].name));
        strobe_json_double(json, row->sums[field]);
    }
    strobe_json_end_object(json);
}

/* Returns the sum of the rows from index `from` on. */
static RankRow sum_rows(const GArray *rows, guint from)
{
    RankRow sum = {0};

    for (guint i = from; i < rows->len; i++) {
        const RankRow *row = &g_array_index(rows, RankRow, i);

        sum.n_steps += row->n_steps;
        for (guint field = 0; field < DEVICE; field++)
            sum.sums[field] += row->sums[field];
    }
    return sum;
}

/* Writes at most `most` rows, those with the longest stages, sorted by rank and device. If there
 * are more rows, writes their sum as one more row. */
static void write_rows(gpointer data, guint most, StrobeJsonWriter *json)
{
    const GArray *all = data;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(RankRow));

    g_array_append_vals(rows, all->data, all->len);
    g_array_sort(rows, compare_stages);
    const RankRow sum = sum_rows(rows, most);
    g_array_set_size(rows, MIN(rows->len, most));
    g_array_sort(rows, compare_rows);
    strobe_json_begin_array(json);
    for (guint i = 0; i < rows->len; i++)
        write_row(&g_array_index(rows, RankRow, i), 0, json);
    if (all->len > most)
        write_row(&sum, all->len - most, json);
    strobe_json_end_array(json);
}

int report_ranks_read(StrobeRegistry *registry, const GPtrArray *results, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(RankRow));
    RankReading r = {.rows = rows};

    for (guint i = 0; i < results->len; i++)
        if (!read_rank(&r, registry, g_ptr_array_index(results, i), error))
            return -1;
    return report_scratch_write(write_rows, rows, "the rows of the ranks", error);
}
