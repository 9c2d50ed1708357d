/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments the events of each row of a trace have: collected before layers are known. */
#ifndef STROBE_ASCEND_TEXT_SURVEY_H
#define STROBE_ASCEND_TEXT_SURVEY_H

#include "layers.h"
#include "trace-kinds.h"

typedef struct Survey {
    GHashTable *shapes; /* by a sum over row, category and keys */
} Survey;

void survey_init(Survey *survey);
void survey_clear(Survey *survey);
void survey_take(Survey *survey, const TraceEvent *event);
/* Tells the kinds, now that the layers are known. */
void survey_settle(Survey *survey, Layers *layers, TraceKinds *kinds);

/* An argument that only tasks have. */
gboolean survey_is_task(const char *key);

/* Kind of a span on the row, NULL: none. `is_task` where an argument says so. */
TraceKind *survey_kind_of(const TraceKinds *kinds, const Row *row, const char *category,
                          gboolean is_task);

#endif
