/* SPDX-License-Identifier: Apache-2.0 */
/* Counts records in groups, and emits a record for each group at the end. api_statistic and
 * op_statistic share this code. */
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
    GHashTable *groups; /* a set of groups */
    /* number of records that are not counted, because there were too many groups */
    guint64 n_dropped;
} Statistic;

/* The input of a pass, and how its records are grouped. */
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

/* Returns the group that equals `key`. If there is none, adds a copy of `key`. Returns NULL if
 * there are too many groups. */
gpointer statistic_find_group(Statistic *statistic, const StatisticRules *rules, gconstpointer key);
/* Emits a record at the begin of the window, marked as incomplete if the window lost records.
 * Returns NULL if there is no memory. */
void *statistic_emit(const Statistic *statistic, StrobeStringId name);
/* Reports that there is no memory for a record of `kind`, and returns the status with which the
 * pass ends. */
StrobeStatus statistic_fail(const Statistic *statistic, const char *kind);

#endif
