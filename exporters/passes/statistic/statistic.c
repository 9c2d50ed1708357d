/* SPDX-License-Identifier: Apache-2.0 */
#include "statistic.h"

void statistic_open(Statistic *statistic, const StatisticRules *rules,
                    const StrobeConsumerHost *host, StrobeInstance *self)
{
    statistic->host = host;
    statistic->self = self;
    statistic->binder.wanted = rules->wanted;
    statistic->binder.n_wanted = rules->n_wanted;
    statistic->groups = g_hash_table_new_full(rules->hash, rules->equal, rules->free_group, NULL);
}

void statistic_clear(Statistic *statistic)
{
    g_hash_table_unref(statistic->groups);
}

gpointer statistic_find_group(Statistic *statistic, const StatisticRules *rules, gconstpointer key)
{
    gpointer group = g_hash_table_lookup(statistic->groups, key);

    if (group || g_hash_table_size(statistic->groups) >= STATISTIC_GROUPS_MAX)
        return group;
    group = g_memdup2(key, rules->group_size);
    g_hash_table_add(statistic->groups, group);
    return group;
}

void *statistic_emit(const Statistic *statistic, StrobeStringId name)
{
    const StrobeConsumerHost *host = statistic->host;
    gint64 at = host->metadata(statistic->self)->window_begin_ns;
    void *fields = host->emit(statistic->self, 0, 0, name, at, at);

    if (fields && host->touches_gap(statistic->self, 0, G_MININT64, G_MAXINT64))
        host->flag(statistic->self, STROBE_VIEW_INCOMPLETE);
    return fields;
}

StrobeStatus statistic_fail(const Statistic *statistic, const char *kind)
{
    return statistic->host->fail(statistic->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                 "Cannot emit %s: the host has no room for it", kind);
}
