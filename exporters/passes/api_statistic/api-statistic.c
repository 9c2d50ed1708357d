/* SPDX-License-Identifier: Apache-2.0 */
/* Computes api_statistic from api_call. */
#include "api-statistic.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#include "duration-counts.h"
#include "sorted-values.h"
#include "statistic.h"

#define CALLS_MAX 33554432u

enum { LEVEL, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {[LEVEL] = {"level", STROBE_FIELD_STRING}};

typedef struct Group {
    const char *name, *level; /* texts of the host */
    StrobeStringId name_id, level_id;
    guint64 count;
    gint64 total, min, max; /* ns */
    /* all durations, because the variance uses the rounded mean, which is known only at the end */
    DurationCounts durations;
} Group;

#define RECENT 256u /* a power of two */

typedef struct ApiStatistic {
    Statistic statistic;   /* elements of type Group */
    Group *recent[RECENT]; /* a cache of the last groups, by the ids of the name and the level */
    guint64 n_durations;
} ApiStatistic;

static guint group_hash(gconstpointer key)
{
    const Group *group = key;

    return strobe_hash_of_text(group->name) * 31 + strobe_hash_of_text(group->level);
}

static gboolean group_equal(gconstpointer a, gconstpointer b)
{
    const Group *x = a, *y = b;

    return !strcmp(x->name, y->name) && !strcmp(x->level, y->level);
}

static void free_group(gpointer data)
{
    Group *group = data;

    duration_counts_clear(&group->durations);
    g_free(group);
}

static const StatisticRules rules = {.wanted = wanted,
                                     .n_wanted = N_WANTED,
                                     .group_size = sizeof(Group),
                                     .hash = group_hash,
                                     .equal = group_equal,
                                     .free_group = free_group};

static StrobeStatus api_statistic_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                       void **state)
{
    ApiStatistic *pass = g_new0(ApiStatistic, 1);

    statistic_open(&pass->statistic, &rules, host, self);
    *state = pass;
    return STROBE_OK;
}

/* Returns the group with these texts. Searches by text, because several ids may have the same
 * text. */
static Group *find_group(ApiStatistic *pass, StrobeStringId name, StrobeStringId level)
{
    const StrobeConsumerHost *host = pass->statistic.host;
    Group key = {.name_id = name, .level_id = level, .min = G_MAXINT64, .max = G_MININT64};
    Group **recent = &pass->recent[(name + 31 * level) % RECENT];

    if (*recent && (*recent)->name_id == name && (*recent)->level_id == level)
        return *recent;
    key.name = host->string(pass->statistic.self, name).bytes;
    key.level = host->string(pass->statistic.self, level).bytes;
    return *recent = statistic_find_group(&pass->statistic, &rules, &key);
}

static void add_call(ApiStatistic *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->statistic.binder, record->kind);
    gint64 ns = record->end_ns - record->begin_ns;
    Group *group = find_group(pass, record->name, strobe_field_u32(record, at[LEVEL], 0));

    if (!group || pass->n_durations >= CALLS_MAX) {
        pass->statistic.n_dropped++;
        return;
    }
    group->count++;
    group->total += ns;
    group->min = MIN(group->min, ns);
    group->max = MAX(group->max, ns);
    pass->n_durations += duration_counts_add(&group->durations, ns);
}

static StrobeStatus api_statistic_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(records[i].kind->name, "api_call"))
            add_call(state, &records[i]);
    return STROBE_OK;
}

static gint level_number(const char *level)
{
    static const struct {
        const char *level;
        gint number;
    } levels[] = {{"runtime", 5000}, {"hccl", 5500},   {"communication", 5500},
                  {"node", 10000},   {"model", 15000}, {"acl", 20000}};

    for (guint i = 0; i < G_N_ELEMENTS(levels); i++)
        if (!strcmp(levels[i].level, level))
            return levels[i].number;
    return G_MAXINT;
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = *(Group *const *)a, *y = *(Group *const *)b;
    gint order = strcmp(x->name, y->name);

    if (!order)
        order = level_number(x->level) - level_number(y->level);
    return order ? order : strcmp(x->level, y->level);
}

/* Returns the variance of the group, computed with the rounded mean; in generation 1 every square
 * is rounded as well. Adds the squares in the order of durations, so that the result does not
 * depend on the order of calls. */
static double variance_of(Group *group, double mean, gboolean rounds_squares)
{
    const DurationCount *sorted = duration_counts_sort(&group->durations);
    double sum = 0;

    for (guint i = 0; i < group->durations.n; i++) {
        double off = strobe_us_of_ns(sorted[i].ns) - mean, square = off * off;

        sum +=
            (double)sorted[i].count * (rounds_squares ? strobe_round_decimals(square, 3) : square);
    }
    return strobe_round_decimals(sum / (double)group->count, 3);
}

static gboolean emit_group(ApiStatistic *pass, Group *group)
{
    const Statistic *statistic = &pass->statistic;
    struct strobe_api_statistic *fields = statistic_emit(statistic, group->name_id);
    double mean = strobe_round_decimals(strobe_us_of_ns(group->total) / (double)group->count, 3);

    if (!fields)
        return FALSE;
    fields->count = group->count;
    fields->total = strobe_us_of_ns(group->total);
    fields->avg = mean;
    fields->min = strobe_us_of_ns(group->min);
    fields->max = strobe_us_of_ns(group->max);
    fields->variance =
        variance_of(group, mean, statistic->host->metadata(statistic->self)->generation == 1);
    fields->level = group->level_id;
    return TRUE;
}

static StrobeStatus api_statistic_end(void *state)
{
    ApiStatistic *pass = state;
    const Statistic *statistic = &pass->statistic;
    g_autoptr(GPtrArray) sorted = sorted_values(statistic->groups, compare_groups);

    for (guint i = 0; i < sorted->len; i++)
        if (!emit_group(pass, sorted->pdata[i]))
            return statistic_fail(statistic, "api_statistic");
    if (statistic->n_dropped)
        statistic->host->log(statistic->self, STROBE_LOG_WARNING,
                             "%" G_GUINT64_FORMAT " calls beyond %u different durations or %u "
                             "functions are not counted",
                             statistic->n_dropped, CALLS_MAX, STATISTIC_GROUPS_MAX);
    return STROBE_OK;
}

static void api_statistic_close(void *state)
{
    ApiStatistic *pass = state;

    statistic_clear(&pass->statistic);
    g_free(pass);
}

const StrobeConsumerOps api_statistic_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = api_statistic_open,
    .batch = api_statistic_batch,
    .end = api_statistic_end,
    .close = api_statistic_close,
};
