/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns small numbers to ids, in the order of their first use. */
#ifndef STROBE_REPORT_NUMBERS_H
#define STROBE_REPORT_NUMBERS_H

#include <glib.h>

typedef struct ReportNumbers {
    GHashTable *numbers; /* id -> number + 1 */
    GArray *ids;         /* elements of type guint32: the ids, in the order of their first use */
} ReportNumbers;

ReportNumbers report_numbers_new(void);
void report_numbers_free(ReportNumbers *numbers);
/* Returns the number of the id. A new id gets the next number. */
guint report_number_of(ReportNumbers *numbers, guint32 id);

#endif
