/* SPDX-License-Identifier: Apache-2.0 */
/* Computes statistics of each part of the time before the first kernel, over many inferences. */
#ifndef STROBE_PASSES_PART_STATISTICS_H
#define STROBE_PASSES_PART_STATISTICS_H

#include <glib.h>
#include <strobe/kinds.h>

typedef enum Part {
    PART_FRAMEWORK,
    PART_PLATFORM,
    PART_TORCHAIR,
    PART_PYTHON,
    PART_CPP,
    PART_GE,
    PART_GE_TO_FIRST_KERNEL,
    PART_TOTAL,
    PART_TO_FIRST_KERNEL,
    PARTS
} Part;

const char *part_name(Part part);
/* Returns the duration of a part in ns; STROBE_ABSENT_I64: the duration is unknown. */
gint64 part_of(const struct strobe_head_overhead *figures, Part part);

typedef struct PartStatistics {
    GArray *values[PARTS]; /* elements of type gint64 */
    double sums[PARTS];    /* ns; sums over the inferences that have the part */
    /* number of inferences for which the causes of the Python side's time are known */
    guint n_causes;
    double causes_build; /* sums of these causes, in ns */
    double causes_contiguous;
    double causes_python;
    double lookup;         /* ns; sum over all inferences */
    double split_torchair; /* ns; sum over the inferences whose Python side is known */
} PartStatistics;

void part_statistics_init(PartStatistics *statistics);
void part_statistics_clear(PartStatistics *statistics);
void part_statistics_add(PartStatistics *statistics, const struct strobe_head_overhead *figures);
/* Computes the statistics of a part. Returns FALSE if no inference has the part. Must be called
 * after the last inference. */
gboolean part_statistics_get(const PartStatistics *statistics, Part part,
                             struct strobe_head_overhead_summary *summary);

#endif
