/* SPDX-License-Identifier: Apache-2.0 */
/* Computes op_statistic from device_task. */
#include "op-statistic.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#include "sorted-values.h"
#include "statistic.h"

enum { OP_TYPE, CORE, IS_KERNEL, EXACT, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [OP_TYPE] = {"op_type", STROBE_FIELD_STRING},
    [CORE] = {"core", STROBE_FIELD_STRING},
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
};

typedef struct Group {
    const char *type, *core; /* texts of the host */
    StrobeStringId type_id, core_id;
    gint32 device;
    guint order;
    guint64 count;
    double total, min, max; /* ns; in generation 1 with a fraction */
} Group;

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

static const StatisticRules rules = {.wanted = wanted,
                                     .n_wanted = N_WANTED,
                                     .group_size = sizeof(Group),
                                     .hash = group_hash,
                                     .equal = group_equal,
                                     .free_group = g_free};

static StrobeStatus op_statistic_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    Statistic *pass = g_new0(Statistic, 1);

    statistic_open(pass, &rules, host, self);
    *state = pass;
    return STROBE_OK;
}

/* Returns the operator's type for a kernel of which MSPTI reports only the name. A name like
 * "aclnnMm_MatMulV3Common_MatMulV3" ends with the type; all other names are used as the type. */
static const char *type_of_name(const char *name)
{
    const char *end = strrchr(name, '_');

    return g_str_has_prefix(name, "aclnn") && end && end[1] ? end + 1 : name;
}

/* Returns whether Strobe recorded the tasks itself. Only then a task without a type counts: the
 * Ascend profiler writes no such table for results without types (level 0). */
static gboolean is_own_record(const Statistic *pass)
{
    return !*pass->host->metadata_value(pass->self, "source") &&
           !*pass->host->metadata_value(pass->self, "external");
}

static void add_task(Statistic *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binder, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    Group key = {.type_id = strobe_field_u32(record, at[OP_TYPE], 0),
                 .core_id = strobe_field_u32(record, at[CORE], 0),
                 .device = track ? track->device : -1,
                 .order = g_hash_table_size(pass->groups),
                 .min = INFINITY,
                 .max = -INFINITY};
    double ns = (double)(record->end_ns - record->begin_ns);
    Group *group;

    if (pass->host->metadata(pass->self)->generation == 1)
        ns = strobe_view_exact_us(record, at[EXACT]) * 1000.0;
    key.type = pass->host->string(pass->self, key.type_id).bytes;
    key.core = pass->host->string(pass->self, key.core_id).bytes;
    if (!*key.type && *key.core && is_own_record(pass))
        key.type = type_of_name(pass->host->string(pass->self, record->name).bytes);
    if (!strobe_field_u8(record, at[IS_KERNEL], 0) || !*key.type || !strcmp(key.type, "N/A"))
        return;
    group = statistic_find_group(pass, &rules, &key);
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
            add_task(state, &records[i]);
    return STROBE_OK;
}

/* Compares groups by device, then by total time (the longest first), then by the order of
 * arrival. */
static gint compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Rounds a time to whole ns, because the Ascend profiler rounds microseconds to three digits. */
static double whole_ns(double ns)
{
    return round(strobe_round_decimals(ns / 1000.0, 3) * 1000.0);
}

static gboolean emit_group(const Statistic *pass, const Group *group, double all)
{
    StrobeStringId type = group->type_id
                              ? group->type_id
                              : pass->host->intern(pass->self, group->type, strlen(group->type));
    struct strobe_op_statistic *fields = statistic_emit(pass, type);
    double mean = group->total / (double)group->count;

    if (!fields)
        return FALSE;
    fields->count = group->count;
    fields->total = whole_ns(group->total);
    fields->min = whole_ns(group->min);
    fields->max = whole_ns(group->max);
    fields->avg = pass->host->metadata(pass->self)->generation == 1 ? whole_ns(mean) : floor(mean);
    fields->ratio = all > 0 ? group->total / all * 100.0 : STROBE_ABSENT_F64;
    fields->core = group->core_id;
    fields->device = group->device;
    return TRUE;
}

/* Returns the total time of the device whose groups begin at the index `first`. */
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
    Statistic *pass = state;
    g_autoptr(GPtrArray) sorted = sorted_values(pass->groups, compare_groups);
    double all = 0;

    for (guint i = 0; i < sorted->len; i++) {
        const Group *next = sorted->pdata[i];

        if (!i || next->device != ((const Group *)sorted->pdata[i - 1])->device)
            all = device_total(sorted, i);
        if (!emit_group(pass, next, all))
            return statistic_fail(pass, "op_statistic");
    }
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " kernels of more than %u operator types are not "
                        "counted",
                        pass->n_dropped, STATISTIC_GROUPS_MAX);
    return STROBE_OK;
}

static void op_statistic_close(void *state)
{
    statistic_clear(state);
    g_free(state);
}

const StrobeConsumerOps op_statistic_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = op_statistic_open,
    .batch = op_statistic_batch,
    .end = op_statistic_end,
    .close = op_statistic_close,
};
