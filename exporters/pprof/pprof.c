/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiles in pprof's format from cpu_sample, call_path, stack_total and heap_path. */
#include "pprof.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#include "profile-file.h"

/* maximum number of different stacks of samples; further samples have no frames */
#define STACKS_MAX 4194304u

enum { SAMPLES, WAITS, CALLS, OPERATORS, BLOCKS, N_FILES };

/* The fields that are read from each kind: the stack, then the numbers that become values. */
enum { STACK, NUMBERS };

static const StrobeWantedField sample_fields[] = {{"stack", STROBE_FIELD_STACK},
                                                  {"time", STROBE_FIELD_I64}};
static const StrobeWantedField call_fields[] = {{"path", STROBE_FIELD_STACK},
                                                {"count", STROBE_FIELD_U64},
                                                {"time", STROBE_FIELD_I64},
                                                {"source", STROBE_FIELD_STRING}};
/* index of the field `source` in call_fields, which follows the numbers */
enum { CALL_SOURCE = 3 };
static const StrobeWantedField operator_fields[] = {
    {"path", STROBE_FIELD_STACK}, {"calls", STROBE_FIELD_U64}, {"host_self", STROBE_FIELD_I64}};
static const StrobeWantedField block_fields[] = {{"stack", STROBE_FIELD_STACK},
                                                 {"live_blocks", STROBE_FIELD_I64},
                                                 {"live_bytes", STROBE_FIELD_I64},
                                                 {"allocated_blocks", STROBE_FIELD_I64},
                                                 {"allocated_bytes", STROBE_FIELD_I64}};

static const ProfileValue sample_values[] = {{"samples", "count"}, {"cpu", "nanoseconds"}, {0}};
static const ProfileValue wait_values[] = {{"waits", "count"}, {"delay", "nanoseconds"}, {0}};
static const ProfileValue call_values[] = {{"calls", "count"}, {"self", "nanoseconds"}, {0}};
static const ProfileValue block_values[] = {{"inuse_objects", "count"},
                                            {"inuse_space", "bytes"},
                                            {"alloc_objects", "count"},
                                            {"alloc_space", "bytes"}};

static const struct {
    const char *kind, *option;
    const StrobeWantedField *fields;
    guint32 n_fields, n_numbers;
    const ProfileValue *values;
} files[N_FILES] = {
    [SAMPLES] = {"cpu_sample", "file", sample_fields, G_N_ELEMENTS(sample_fields), 1,
                 sample_values},
    [WAITS] = {"call_path", "wait_file", call_fields, G_N_ELEMENTS(call_fields), 2, wait_values},
    [CALLS] = {"call_path", "python_file", call_fields, G_N_ELEMENTS(call_fields), 2, call_values},
    [OPERATORS] = {"stack_total", "operators_file", operator_fields, G_N_ELEMENTS(operator_fields),
                   2, call_values},
    [BLOCKS] = {"heap_path", "heap_file", block_fields, G_N_ELEMENTS(block_fields), 4,
                block_values},
};

/* The sum of the samples that have the same stack and the same name of a thread. */
typedef struct StackSum {
    guint64 key; /* name of the thread, and stack */
    gint64 values[2];
} StackSum;

typedef struct Pprof {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binders[N_FILES];
    ProfileFile *files[N_FILES];
    GHashTable *sums; /* key -> StackSum */
} Pprof;

static StrobeStatus pprof_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Pprof *pprof = g_new0(Pprof, 1);

    pprof->host = host;
    pprof->self = self;
    pprof->sums = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < N_FILES; i++) {
        pprof->binders[i].wanted = files[i].fields;
        pprof->binders[i].n_wanted = files[i].n_fields;
        pprof->files[i] = profile_file_new(host, self, files[i].option, files[i].values);
    }
    *state = pprof;
    return STROBE_OK;
}

static void pprof_close(void *state)
{
    Pprof *pprof = state;

    for (guint i = 0; i < N_FILES; i++)
        profile_file_free(pprof->files[i]);
    g_hash_table_unref(pprof->sums);
    g_free(pprof);
}

static StrobeStatus fail_file(Pprof *pprof, guint file, int error)
{
    return pprof->host->fail(pprof->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                             "Cannot write the profile: file=\"%s\", folder=\"%s\": %s",
                             pprof->host->option_text(pprof->self, files[file].option),
                             pprof->host->metadata(pprof->self)->directory_path, g_strerror(error));
}

/* Adds a sample to the sum of its stack. There are many samples, but only few stacks. */
static void add_sample(Pprof *pprof, const StrobeView *record, const guint32 *at)
{
    const gint64 time = strobe_field_i64(record, at[NUMBERS], 0);
    guint64 key = (guint64)record->name << 32 | strobe_field_u32(record, at[STACK], 0);

    if (time < 0)
        return;
    if (g_hash_table_size(pprof->sums) >= STACKS_MAX && !g_hash_table_contains(pprof->sums, &key))
        key = (guint64)record->name << 32;
    StackSum *sum = g_hash_table_lookup(pprof->sums, &key);
    if (!sum) {
        sum = g_new0(StackSum, 1);
        sum->key = key;
        g_hash_table_add(pprof->sums, sum);
    }
    sum->values[0]++;
    sum->values[1] += time;
}

static StrobeStatus write_stack(Pprof *pprof, guint file, StrobeStackId stack,
                                StrobeStringId thread, const gint64 *values)
{
    const StrobeStringId *frames = NULL;
    const size_t n = stack ? pprof->host->stack_frames(pprof->self, stack, &frames) : 0;
    const int error = profile_file_add(pprof->files[file], frames, n, thread, values);

    return error ? fail_file(pprof, file, error) : STROBE_OK;
}

/* Writes a record that already is the sum of a path. */
static StrobeStatus add_path(Pprof *pprof, guint file, const StrobeView *record, const guint32 *at)
{
    gint64 values[PROFILE_VALUES_MAX] = {0};

    for (guint i = 0; i < files[file].n_numbers; i++)
        values[i] = MAX(strobe_field_i64(record, at[NUMBERS + i], 0), 0);
    return write_stack(pprof, file, strobe_field_u32(record, at[STACK], 0), 0, values);
}

/* Returns whether the record belongs to this file. The kind call_path has several sources. Paths of
 * samples from this kind are not used, because they have no line numbers; the file of samples is
 * made from cpu_sample. */
static gboolean is_of_file(const Pprof *pprof, guint file, const StrobeView *record,
                           const guint32 *at)
{
    if (file != CALLS && file != WAITS)
        return TRUE;
    const StrobeText source =
        pprof->host->string(pprof->self, strobe_field_u32(record, at[CALL_SOURCE], 0));
    return strcmp(source.bytes, file == CALLS ? "python_call" : "cpu_sample.wait") == 0;
}

static StrobeStatus pprof_batch(void *state, const StrobeView *records, size_t n)
{
    Pprof *pprof = state;
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < n && status == STROBE_OK; i++)
        for (guint file = 0; file < N_FILES; file++) {
            if (strcmp(records[i].kind->name, files[file].kind) != 0)
                continue;
            const guint32 *at = strobe_binder_offsets(&pprof->binders[file], records[i].kind);
            if (file == SAMPLES)
                add_sample(pprof, &records[i], at);
            else if (is_of_file(pprof, file, &records[i], at))
                status = add_path(pprof, file, &records[i], at);
        }
    return status;
}

/* Compares sums by time (the longest first), then by key, so that every run writes the same
 * file. */
static gint compare_sums(gconstpointer a, gconstpointer b)
{
    const StackSum *x = *(StackSum *const *)a, *y = *(StackSum *const *)b;

    if (x->values[1] != y->values[1])
        return x->values[1] > y->values[1] ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static StrobeStatus write_samples(Pprof *pprof)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_sized_new(g_hash_table_size(pprof->sums));
    StrobeStatus status = STROBE_OK;
    GHashTableIter iter;
    gpointer sum_found;

    g_hash_table_iter_init(&iter, pprof->sums);
    while (g_hash_table_iter_next(&iter, NULL, &sum_found))
        g_ptr_array_add(sorted, sum_found);
    g_ptr_array_sort(sorted, compare_sums);
    for (guint i = 0; i < sorted->len && status == STROBE_OK; i++) {
        const StackSum *sum = g_ptr_array_index(sorted, i);
        status = write_stack(pprof, SAMPLES, (StrobeStackId)sum->key,
                             (StrobeStringId)(sum->key >> 32), sum->values);
    }
    return status;
}

static StrobeStatus pprof_end(void *state)
{
    Pprof *pprof = state;
    StrobeStatus status = write_samples(pprof);

    for (guint i = 0; i < N_FILES && status == STROBE_OK; i++) {
        const int error = profile_file_finish(pprof->files[i]);
        if (error)
            status = fail_file(pprof, i, error);
    }
    return status;
}

const StrobeConsumerOps pprof_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = pprof_open,
    .batch = pprof_batch,
    .end = pprof_end,
    .close = pprof_close,
};
