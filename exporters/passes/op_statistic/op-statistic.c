/* SPDX-License-Identifier: Apache-2.0 */
/* device_task -> op_statistic. */
#include "op-statistic.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "device-record.h"
#include "sorted-values.h"

#define GROUPS_MAX 262144u

enum { OP_TYPE, CORE, IS_KERNEL, EXACT, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [OP_TYPE] = {"op_type", STROBE_FIELD_STRING},
    [CORE] = {"core", STROBE_FIELD_STRING},
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
};

typedef struct Group {
    const char *type, *core; /* the host's */
    StrobeStringId type_id, core_id;
    gint32 device;
    guint order;
    guint64 count;
    double total, min, max; /* ns, with what is below in G1 */
} Group;

typedef struct OpStatistic {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    GHashTable *groups; /* of Group, its own key */
    guint64 n_dropped;
} OpStatistic;

static guint group_hash(gconstpointer key)
{
    const Group *group = key;

    return (strobe_hash_of_text(group->type) * 31 + strobe_hash_of_text(group->core)) * 31 +
           (guint)group->device;
}

static gboolean group_equal(gconstpointer a, gconstpointer b)
{
    const Group *x = a, *y = b;

    return x->device == y->device && !strcmp(x->type, y->type) && !strcmp(x->core, y->core);
}

static StrobeStatus op_statistic_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    OpStatistic *pass = g_new0(OpStatistic, 1);

    pass->host = host;
    pass->self = self;
    pass->binder.wanted = wanted;
    pass->binder.n_wanted = N_WANTED;
    pass->groups = g_hash_table_new_full(group_hash, group_equal, g_free, NULL);
    *state = pass;
    return STROBE_OK;
}

static Group *find_group(OpStatistic *pass, Group *key)
{
    Group *group = g_hash_table_lookup(pass->groups, key);

    if (group)
        return group;
    if (g_hash_table_size(pass->groups) >= GROUPS_MAX)
        return NULL;
    key->order = g_hash_table_size(pass->groups);
    key->min = INFINITY;
    key->max = -INFINITY;
    group = g_memdup2(key, sizeof *key);
    g_hash_table_add(pass->groups, group);
    return group;
}

static void add(OpStatistic *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binder, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    Group key = {.type_id = strobe_field_u32(record, at[OP_TYPE], 0),
                 .core_id = strobe_field_u32(record, at[CORE], 0),
                 .device = track ? track->device : -1};
    double ns = (double)(record->end_ns - record->begin_ns);
    Group *group;

    if (pass->host->facts(pass->self)->generation == 1)
        ns = device_exact_us(record, at[EXACT]) * 1000.0;
    key.type = pass->host->string(pass->self, key.type_id).bytes;
    key.core = pass->host->string(pass->self, key.core_id).bytes;
    if (!strobe_field_u8(record, at[IS_KERNEL], 0) || !*key.type || !strcmp(key.type, "N/A"))
        return;
    group = find_group(pass, &key);
    if (!group) {
        pass->n_dropped++;
        return;
    }
    group->count++;
    group->total += ns;
    group->min = MIN(group->min, ns);
    group->max = MAX(group->max, ns);
}

static StrobeStatus op_statistic_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(records[i].kind->name, "device_task"))
            add(state, &records[i]);
    return STROBE_OK;
}

/* Device by device, most time first; equal ones as they came. */
static gint compare(gconstpointer a, gconstpointer b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The tool rounds microseconds. */
static double whole_ns(double ns)
{
    return round(device_round(ns / 1000.0, 3) * 1000.0);
}

static gboolean emit(OpStatistic *pass, const Group *group, double all)
{
    gint64 at = pass->host->facts(pass->self)->window_begin_ns;
    struct strobe_op_statistic *fields = pass->host->emit(pass->self, 0, 0, group->type_id, at, at);
    double mean = group->total / (double)group->count;

    if (!fields)
        return FALSE;
    if (pass->host->touches_gap(pass->self, 0, G_MININT64, G_MAXINT64))
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    fields->count = group->count;
    fields->total = whole_ns(group->total);
    fields->min = whole_ns(group->min);
    fields->max = whole_ns(group->max);
    fields->avg = pass->host->facts(pass->self)->generation == 1 ? whole_ns(mean) : floor(mean);
    fields->ratio = all > 0 ? group->total / all * 100.0 : STROBE_ABSENT_F64;
    fields->core = group->core_id;
    fields->device = group->device;
    return TRUE;
}

/* Of the device whose groups begin at `first`. */
static double device_total(const GPtrArray *sorted, guint first)
{
    const Group *group = sorted->pdata[first];
    gint32 device = group->device;
    double all = 0;

    for (; first < sorted->len; first++) {
        group = sorted->pdata[first];
        if (group->device != device)
            break;
        all += group->total;
    }
    return all;
}

static StrobeStatus op_statistic_end(void *state)
{
    OpStatistic *pass = state;
    g_autoptr(GPtrArray) sorted = sorted_values(pass->groups, compare);
    double all = 0;

    for (guint i = 0; i < sorted->len; i++) {
        const Group *next = sorted->pdata[i];

        if (!i || next->device != ((const Group *)sorted->pdata[i - 1])->device)
            all = device_total(sorted, i);
        if (!emit(pass, next, all))
            return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                    "Cannot emit op_statistic: the host has no room for it");
    }
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " kernels of more than %u operator types are not "
                        "counted",
                        pass->n_dropped, GROUPS_MAX);
    return STROBE_OK;
}

static void op_statistic_close(void *state)
{
    OpStatistic *pass = state;

    g_hash_table_unref(pass->groups);
    g_free(pass);
}

const StrobeConsumerOps op_statistic_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = op_statistic_open,
    .batch = op_statistic_batch,
    .end = op_statistic_end,
    .close = op_statistic_close,
};
