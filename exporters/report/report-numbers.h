/* SPDX-License-Identifier: Apache-2.0 */
/* Small numbers for ids, in the order of their first use. */
#ifndef STROBE_REPORT_NUMBERS_H
#define STROBE_REPORT_NUMBERS_H

#include <glib.h>

typedef struct ReportNumbers {
    GHashTable *numbers; /* id -> number + 1 */
    GArray *ids;         /* of guint32 */
} ReportNumbers;

ReportNumbers report_numbers_new(void);
void report_numbers_free(ReportNumbers *numbers);
/* A new id gets the next number. */
guint report_number_of(ReportNumbers *numbers, guint32 id);

#endif
