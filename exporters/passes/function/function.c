/* SPDX-License-Identifier: Apache-2.0 */
/* Computes function from cpu_sample, python_call, heap_path and cpu_sample.wait. */
#include "function.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "function-sums.h"
#include "nesting.h"

enum { SAMPLES, CALLS, BLOCKS, WAITS, N_SOURCES };

/* A source of functions, and the fields of its records that are read. */
typedef struct Source {
    const char *kind; /* kind of the records */
    const char *name; /* name of the source in the table */
    StrobeWantedField amount, count;
} Source;

static const Source sources[N_SOURCES] = {
    [SAMPLES] = {"cpu_sample", "cpu_sample", {"time", STROBE_FIELD_I64}, {"", STROBE_FIELD_I64}},
    [CALLS] = {"python_call", "python_call", {"", STROBE_FIELD_I64}, {"", STROBE_FIELD_I64}},
    [BLOCKS] = {"heap_path",
                "heap.block",
                {"allocated_bytes", STROBE_FIELD_I64},
                {"allocated_blocks", STROBE_FIELD_I64}},
    [WAITS] = {"cpu_sample.wait",
               "cpu_sample.wait",
               {"", STROBE_FIELD_I64},
               {"", STROBE_FIELD_I64}},
};

enum { STACK, AMOUNT, COUNT, N_WANTED };

/* A call that waits for the call that encloses it. */
typedef struct Call {
    NestingSpan span;
    StrobeStringId name;
    /* time of direct recursive calls, which is already part of the total of the outer call */
    gint64 recursion_ns;
} Call;

typedef struct Functions {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeWantedField wanted[N_SOURCES][N_WANTED];
    StrobeBinder binders[N_SOURCES];
    FunctionSums *sums[N_SOURCES];
    Nesting *nesting;
    gboolean is_incomplete; /* records were lost, but it is not known of which functions */
} Functions;

/* ---- calls ---- */

static void count_call(Functions *functions, const Call *call)
{
    if (!call->span.is_fold)
        function_sums_add_call(functions->sums[CALLS], call->name,
                               call->span.total_ns - call->span.children_ns,
                               call->span.total_ns - call->recursion_ns);
}

static gboolean adopt_call(void *user, NestingSpan *parent, NestingSpan *child)
{
    Call *caller = (Call *)parent;
    const Call *call = (const Call *)child;

    if (!child->is_fold && !parent->is_fold && caller->name == call->name)
        caller->recursion_ns += child->total_ns;
    count_call(user, call);
    return TRUE;
}

/* Counts a call that becomes part of a fold. If a later call encloses the fold, only the fold's sum
 * is subtracted from the own time of that call. */
static gboolean fold_call(void *user, NestingSpan *span)
{
    count_call(user, (const Call *)span);
    return TRUE;
}

static gboolean merge_calls(void *user, NestingSpan *into, NestingSpan *from)
{
    (void)user;
    (void)into;
    (void)from;
    return TRUE;
}

static gboolean count_outermost(void *user, NestingSpan *span)
{
    count_call(user, (const Call *)span);
    return TRUE;
}

static const NestingOps nesting_ops = {sizeof(Call), adopt_call, fold_call, merge_calls,
                                       count_outermost};

static void add_call(Functions *functions, const StrobeView *record)
{
    Call call = {.name = record->name,
                 .span = {.begin_ns = record->begin_ns,
                          .end_ns = MAX(record->end_ns, record->begin_ns),
                          .track = record->track}};

    nesting_add(functions->nesting, &call.span);
}

/* ---- the pass ---- */

static StrobeStatus function_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                  void **state)
{
    Functions *functions = g_new0(Functions, 1);

    functions->host = host;
    functions->self = self;
    functions->nesting = nesting_new(&nesting_ops, functions);
    for (guint i = 0; i < N_SOURCES; i++) {
        functions->sums[i] = function_sums_new(host, self);
        functions->wanted[i][STACK] = (StrobeWantedField){"stack", STROBE_FIELD_STACK};
        functions->wanted[i][AMOUNT] = sources[i].amount;
        functions->wanted[i][COUNT] = sources[i].count;
        functions->binders[i].wanted = functions->wanted[i];
        functions->binders[i].n_wanted = N_WANTED;
    }
    *state = functions;
    return STROBE_OK;
}

static void function_close(void *state)
{
    Functions *functions = state;

    nesting_free(functions->nesting);
    for (guint i = 0; i < N_SOURCES; i++)
        function_sums_free(functions->sums[i]);
    g_free(functions);
}

static void add_record(Functions *functions, guint source, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&functions->binders[source], record->kind);
    gint64 amount = source == WAITS ? record->end_ns - record->begin_ns
                                    : strobe_field_i64(record, at[AMOUNT], 0);
    gint64 count = strobe_field_i64(record, at[COUNT], 1);

    if (amount >= 0 && count >= 0)
        function_sums_add_stack(functions->sums[source], strobe_field_u32(record, at[STACK], 0),
                                amount, (guint64)count);
}

static StrobeStatus function_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (guint source = 0; source < N_SOURCES; source++) {
            if (strcmp(records[i].kind->name, sources[source].kind) != 0)
                continue;
            if (source == CALLS)
                add_call(state, &records[i]);
            else
                add_record(state, source, &records[i]);
        }
    return STROBE_OK;
}

static StrobeStatus function_raw_end(void *state)
{
    nesting_finish(((Functions *)state)->nesting);
    return STROBE_OK;
}

static double share_of(gint64 part, gint64 whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : STROBE_ABSENT_F64;
}

static gboolean emit_function(Functions *functions, guint source, StrobeStringId name,
                              const FunctionSum *sum)
{
    const StrobeMetadata *metadata = functions->host->metadata(functions->self);
    gint64 whole = function_sums_amount(functions->sums[source]);
    gboolean is_time = source != BLOCKS;
    struct strobe_function *out = functions->host->emit(
        functions->self, 0, 0, sum->name, metadata->window_begin_ns, metadata->window_begin_ns);

    if (!out)
        return FALSE;
    *out = (struct strobe_function){
        .source = name,
        .location = sum->location,
        .count = sum->count,
        .self = is_time ? sum->self : STROBE_ABSENT_I64,
        .total = is_time ? sum->total : STROBE_ABSENT_I64,
        .self_bytes = is_time ? STROBE_ABSENT_I64 : sum->self,
        .total_bytes = is_time ? STROBE_ABSENT_I64 : sum->total,
        .self_share = share_of(sum->self, whole),
        .total_share = share_of(sum->total, whole),
    };
    if (functions->is_incomplete)
        functions->host->flag(functions->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

static gboolean emit_source(Functions *functions, guint source)
{
    g_autoptr(GPtrArray) sorted = function_sums_sorted(functions->sums[source]);
    StrobeStringId name = functions->host->intern(functions->self, sources[source].name,
                                                  strlen(sources[source].name));

    for (guint i = 0; i < sorted->len; i++)
        if (!emit_function(functions, source, name, g_ptr_array_index(sorted, i)))
            return FALSE;
    return TRUE;
}

static StrobeStatus function_end(void *state)
{
    Functions *functions = state;

    nesting_finish(
        /* does nothing if it was already called at the end of the raw records */
        functions->nesting);
    functions->is_incomplete =
        functions->host->touches_gap(functions->self, 0, G_MININT64, G_MAXINT64) != 0;
    for (guint i = 0; i < N_SOURCES; i++)
        if (!emit_source(functions, i))
            return functions->host->fail(functions->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                         "Cannot emit function: the host has no room for it");
    return STROBE_OK;
}

const StrobeConsumerOps function_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = function_open,
    .batch = function_batch,
    .end = function_end,
    .close = function_close,
    .raw_end = function_raw_end,
};
