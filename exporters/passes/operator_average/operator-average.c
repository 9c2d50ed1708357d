/* SPDX-License-Identifier: Apache-2.0 */
/* Computes operator_average from operator_detail. */
#include "operator-average.h"

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>
#include <string.h>

#define GROUPS_MAX 262144
#define CACHE_SIZE 4096

enum { HOST_TOTAL, HOST_SELF, SHAPES, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [HOST_TOTAL] = {"host_total", STROBE_FIELD_I64},
    [HOST_SELF] = {"host_self", STROBE_FIELD_I64},
    [SHAPES] = {"shapes", STROBE_FIELD_STRING},
};

/* The operators with one name, or with one name and one shape. The host owns the texts. */
typedef struct Group {
    StrobeText name_text, shapes_text;
    StrobeStringId name, shapes;
    guint64 calls;
    gint64 self, total, min, max;
} Group;

/* A slot of a cache by ids. Equal ids have equal texts, but the same text may have several ids. */
typedef struct CacheSlot {
    StrobeStringId name, shapes;
    Group *group;
} CacheSlot;

typedef struct OperatorAverage {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gboolean group_by_shapes;
    StrobeBinder binder;
    GHashTable *groups; /* a set of Group */
    Group *others;      /* the operators for which there was no room in `groups`; NULL: none */
    CacheSlot cache[CACHE_SIZE];
} OperatorAverage;

static guint64 hash_text(const StrobeText *text)
{
    return strobe_hash_bytes(strobe_hash_key(), text->bytes, text->length);
}

static guint group_hash(gconstpointer key)
{
    const Group *group = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), hash_text(&group->name_text),
                                   hash_text(&group->shapes_text));
}

static gboolean text_equal(const StrobeText *a, const StrobeText *b)
{
    return a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

static gboolean group_equal(gconstpointer a, gconstpointer b)
{
    const Group *x = a, *y = b;

    return text_equal(&x->name_text, &y->name_text) && text_equal(&x->shapes_text, &y->shapes_text);
}

static StrobeStatus operator_average_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                          void **state)
{
    OperatorAverage *average = g_new0(OperatorAverage, 1);

    average->host = host;
    average->self = self;
    average->group_by_shapes = host->option_bool(self, "group_by_shapes");
    average->binder.wanted = wanted;
    average->binder.n_wanted = N_WANTED;
    average->groups = g_hash_table_new_full(group_hash, group_equal, g_free, NULL);
    *state = average;
    return STROBE_OK;
}

static Group *new_group(const Group *key)
{
    Group *group = g_memdup2(key, sizeof *key);

    group->min = G_MAXINT64;
    group->max = G_MININT64;
    return group;
}

/* Returns the group of the operators for which there is no room. The first call makes the group and
 * logs a warning. */
static Group *get_others(OperatorAverage *average)
{
    if (!average->others) {
        Group key = {.name = average->host->intern(average->self, "(others)", 8)};

        key.name_text = average->host->string(average->self, key.name);
        average->others = new_group(&key);
        average->host->log(average->self, STROBE_LOG_WARNING,
                           "More than %d different operators: the rest is counted as \"(others)\"",
                           GROUPS_MAX);
    }
    return average->others;
}

static Group *find_group(OperatorAverage *average, StrobeStringId name, StrobeStringId shapes)
{
    CacheSlot *slot = &average->cache[(name * 31 + shapes) % CACHE_SIZE];
    Group key = {.name = name, .shapes = shapes};
    Group *group;

    if (slot->group && slot->name == name && slot->shapes == shapes)
        return slot->group;
    key.name_text = average->host->string(average->self, name);
    key.shapes_text = average->host->string(average->self, shapes);
    group = g_hash_table_lookup(average->groups, &key);
    if (!group) {
        if (g_hash_table_size(average->groups) >= GROUPS_MAX)
            return get_others(average);
        group = new_group(&key);
        g_hash_table_add(average->groups, group);
    }
    *slot = (CacheSlot){name, shapes, group};
    return group;
}

static StrobeStatus operator_average_batch(void *state, const StrobeView *records, size_t n)
{
    OperatorAverage *average = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const uint32_t *offsets;
        gint64 total;
        Group *group;

        if (strcmp(record->kind->name, "operator_detail"))
            continue;
        offsets = strobe_binder_offsets(&average->binder, record->kind);
        group =
            find_group(average, record->name,
                       average->group_by_shapes ? strobe_field_u32(record, offsets[SHAPES], 0) : 0);
        total = strobe_field_i64(record, offsets[HOST_TOTAL], 0);
        group->calls++;
        group->total += total;
        group->self += strobe_field_i64(record, offsets[HOST_SELF], 0);
        group->min = MIN(group->min, total);
        group->max = MAX(group->max, total);
    }
    return STROBE_OK;
}

/* Compares the bytes of two texts, which may contain NUL. */
static gint text_compare(const StrobeText *a, const StrobeText *b)
{
    const gint order = memcmp(a->bytes, b->bytes, MIN(a->length, b->length));

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Compares groups by self time (the longest first), then by text, so that the order is the same in
 * every run. */
static gint compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    gint order;

    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    order = text_compare(&x->name_text, &y->name_text);
    return order ? order : text_compare(&x->shapes_text, &y->shapes_text);
}

/* Emits the record of a group. `is_incomplete`: calls were lost, but it is unknown of which
 * operators. */
static gboolean emit_group(OperatorAverage *average, const Group *group, gint64 all_self,
                           gboolean is_incomplete)
{
    gint64 at = average->host->metadata(average->self)->window_begin_ns;
    struct strobe_operator_average *fields =
        average->host->emit(average->self, 0, 0, group->name, at, at);

    if (!fields)
        return FALSE;
    if (is_incomplete)
        average->host->flag(average->self, STROBE_VIEW_INCOMPLETE);
    fields->calls = group->calls;
    fields->host_self = group->self;
    fields->host_total = group->total;
    fields->host_min = group->min;
    fields->host_max = group->max;
    fields->host_average = (double)group->total / (double)group->calls;
    fields->self_share =
        all_self ? 100.0 * (double)group->self / (double)all_self : STROBE_ABSENT_F64;
    fields->shapes = group->shapes;
    return TRUE;
}

static StrobeStatus operator_average_end(void *state)
{
    OperatorAverage *average = state;
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    GHashTableIter iter;
    gpointer group;
    gint64 all_self = 0;
    gboolean is_incomplete =
        average->host->touches_gap(average->self, 0, G_MININT64, G_MAXINT64) != 0;

    g_hash_table_iter_init(&iter, average->groups);
    while (g_hash_table_iter_next(&iter, &group, NULL))
        g_ptr_array_add(sorted, group);
    if (average->others)
        g_ptr_array_add(sorted, average->others);
    for (guint i = 0; i < sorted->len; i++)
        all_self += ((const Group *)sorted->pdata[i])->self;
    g_ptr_array_sort(sorted, compare_groups);
    for (guint i = 0; i < sorted->len; i++)
        if (!emit_group(average, sorted->pdata[i], all_self, is_incomplete))
            return average->host->fail(average->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                       "Cannot emit operator_average: the host has no room for it");
    return STROBE_OK;
}

static void operator_average_close(void *state)
{
    OperatorAverage *average = state;

    g_hash_table_unref(average->groups);
    g_free(average->others);
    g_free(average);
}

const StrobeConsumerOps operator_average_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = operator_average_open,
    .batch = operator_average_batch,
    .end = operator_average_end,
    .close = operator_average_close,
};
