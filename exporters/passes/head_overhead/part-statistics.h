/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the head overhead over many inferences. */
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
/* Duration of a part in ns; STROBE_ABSENT_I64: unknown. */
gint64 part_of(const struct strobe_head_overhead *figures, Part part);

typedef struct PartStatistics {
    GArray *values[PARTS]; /* of gint64 */
    double sums[PARTS];    /* ns, over the inferences that have the part */
    guint n_causes;        /* number of inferences whose causes on the Python side are known, */
    double causes_build;   /* and the sums of these causes, in ns: */
    double causes_contiguous;
    double causes_python;
    double lookup;         /* ns, of all */
    double split_torchair; /* ns, where the Python side is known */
} PartStatistics;

void part_statistics_init(PartStatistics *statistics);
void part_statistics_clear(PartStatistics *statistics);
void part_statistics_add(PartStatistics *statistics, const struct strobe_head_overhead *figures);
/* Call it when all inferences have been added. FALSE: no inference has the part. */
gboolean part_statistics_get(const PartStatistics *statistics, Part part,
                             struct strobe_head_overhead_summary *summary);

#endif
