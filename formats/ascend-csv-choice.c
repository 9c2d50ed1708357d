/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the columns of a file, and makes the titles of metrics. */
#include "ascend.h"

#include <stdio.h>
#include <string.h>

#define METRIC_NAME_MAX 120

static int is_among(uint32_t mask, uint32_t bit)
{
    return mask == 0 || (mask & bit);
}

uint32_t ascend_file_columns(const AscendFile *file, int32_t generation, int32_t level,
                             StrobeColumn *out, const AscendColumn **rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < file->n_columns && n < STROBE_TABLE_COLUMNS_MAX; i++) {
        const AscendColumn *row = &file->columns[i];

        if (!is_among(row->generations, ascend_generation_bit(generation)) ||
            !is_among(row->levels, ascend_level_bit(level)))
            continue;
        if (rows)
            rows[n] = row;
        out[n++] = row->column;
    }
    return n;
}

const AscendColumn *ascend_file_column(const AscendFile *file, const char *title, size_t length)
{
    for (uint32_t i = 0; i < file->n_columns; i++) {
        const char *known = file->columns[i].column.title;

        if (strlen(known) == length && length && memcmp(known, title, length) == 0)
            return &file->columns[i];
    }
    return NULL;
}

/* ---- metrics ---- */

/* Metrics whose title is not the name with a unit from `units` appended. */
static const struct {
    const char *metric, *title;
} named[] = {
    {"aic_total_time", "aicore_time(us)"},
    {"total_time", "aicore_time(us)"},
    {"aiv_total_time", "aiv_time(us)"},
    {"cube_utilization", "cube_utilization(%)"},
};

/* The unit and factor of the metrics whose name contains `word`. The first match is used. */
static const struct {
    const char *word, *unit;
    double factor;
} units[] = {
    {"time", "(us)", 1000},
    {"bw", "(GB/s)", 1},
    {"datas", "(KB)", 1},
};

void ascend_metric_title(const char *metric, char *title, size_t size)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (!strcmp(metric, named[i].metric)) {
            snprintf(title, size, "%s", named[i].title);
            return;
        }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strstr(metric, units[i].word)) {
            snprintf(title, size, "%s%s", metric, units[i].unit);
            return;
        }
    snprintf(title, size, "%s", metric);
}

const char *ascend_metric_of_title(const char *title, size_t length, char *metric, size_t size)
{
    const char *unit = memchr(title, '(', length);
    size_t stem = unit ? (size_t)(unit - title) : length;

    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strlen(named[i].title) == length && !memcmp(named[i].title, title, length)) {
            snprintf(metric, size, "%s", named[i].metric);
            return metric;
        }
    if (stem == 0 || stem > METRIC_NAME_MAX || stem >= size || memchr(title, ';', stem))
        return NULL;
    memcpy(metric, title, stem);
    metric[stem] = '\0';
    return metric;
}

uint32_t ascend_metric_form(const char *metric, int32_t generation)
{
    if (strstr(metric, "cycles"))
        return STROBE_CELL_INT;
    if (generation > 1 && !strcmp(metric, "cube_utilization"))
        return STROBE_CELL_FIXED3;
    return generation == 1 ? STROBE_CELL_ROUND3 : STROBE_CELL_TRIM3;
}

double ascend_metric_factor(const char *metric)
{
    return strstr(metric, "time") ? 1000 : 1;
}
