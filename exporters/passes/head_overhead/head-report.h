/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the records of the pass: inferences, sums of steps, statistics, advice. */
#ifndef STROBE_PASSES_HEAD_REPORT_H
#define STROBE_PASSES_HEAD_REPORT_H

#include "inference.h"

/* Indexes of the kinds in the component's list. */
enum { HEAD_INFERENCE, HEAD_STEP, HEAD_SUMMARY, HEAD_ADVICE, HEAD_KINDS };

typedef struct HeadReport {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GArray *inferences; /* elements of type Inference: finished, in the order of their begins */
    GArray *steps;      /* elements of type HeadStep */
    gboolean compiled_too;
} HeadReport;

/* Emits all records. Returns FALSE if the host had no memory for them. */
gboolean head_report_emit(HeadReport *report);

#endif
