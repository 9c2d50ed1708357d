/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields: read from records, kept, summed, written. */
#ifndef STROBE_REPORT_CELLS_H
#define STROBE_REPORT_CELLS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>

#define REPORT_TEXT_MAX 400u             /* bytes of a text in the page */
#define REPORT_TEXTS_MAX (1200u * 1024u) /* of all; what comes later is left out */

/* What texts, stacks and tracks are looked up by. */
typedef struct ReportSource {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    gsize *text_bytes; /* of all texts that the page has so far */
} ReportSource;

typedef struct ReportCell {
    guint32 type; /* STROBE_FIELD_*; 0: absent */
    union {
        gint64 i;
        guint64 u;
        double d;
        guint32 id;
    };
} ReportCell;

ReportCell report_cell_read(const StrobeView *record, const StrobeFieldView *field);
/* Its number; FALSE: absent, or no number. */
gboolean report_cell_number(const ReportCell *cell, double *number);
void report_cell_write(const ReportCell *cell, const ReportSource *source, StrobeJsonWriter *json);

/* A text, cut where it is too long; "..." if the page has too many. */
void report_write_text(const ReportSource *source, StrobeText text, StrobeJsonWriter *json);

#endif
