/* SPDX-License-Identifier: Apache-2.0 */
/* Records counted in groups, which are emitted at the end: shared by api_statistic and
 * op_statistic. */
#ifndef STROBE_PASSES_STATISTIC_H
#define STROBE_PASSES_STATISTIC_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/strobe-plugin.h>

#define STATISTIC_GROUPS_MAX 262144u

/* The first member of a pass's state. */
typedef struct Statistic {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    GHashTable *groups; /* each its own key */
    guint64 n_dropped;  /* number of records that are not counted */
} Statistic;

/* The input of a pass and its grouping. */
typedef struct StatisticRules {
    const StrobeWantedField *wanted;
    uint32_t n_wanted;
    gsize group_size;
    GHashFunc hash;
    GEqualFunc equal;
    GDestroyNotify free_group;
} StatisticRules;

void statistic_open(Statistic *statistic, const StatisticRules *rules,
                    const StrobeConsumerHost *host, StrobeInstance *self);
void statistic_clear(Statistic *statistic);

/* The group that equals `key`; a new one is a copy of it. NULL: there are too many. */
gpointer statistic_find_group(Statistic *statistic, const StatisticRules *rules, gconstpointer key);
/* Emits a record at the window's begin, marked if the window lost records. NULL: there is no
 * room. */
void *statistic_emit(const Statistic *statistic, StrobeStringId name);
/* The end of a pass that has no room for a record of `kind`. */
StrobeStatus statistic_fail(const Statistic *statistic, const char *kind);

#endif
