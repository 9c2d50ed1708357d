/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields: reads them from records, keeps, sums and writes them. */
#ifndef STROBE_REPORT_CELLS_H
#define STROBE_REPORT_CELLS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>

#define REPORT_TEXT_MAX 400u /* maximum number of bytes of a text in the page */
/* the same for all texts together; later texts are left out */
#define REPORT_TEXTS_MAX (1200u * 1024u)

/* What the page may still contain. */
typedef struct ReportBudget {
    gsize text_bytes; /* of all texts that the page has so far */
    /* The page was too large so many times; each time its limits are halved. */
    guint n_halvings;
} ReportBudget;

/* The source from which texts, stacks and tracks are looked up. */
typedef struct ReportSource {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    ReportBudget *budget;
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
/* The cell's number; FALSE: the cell is absent or not a number. */
gboolean report_cell_number(const ReportCell *cell, double *number);
void report_cell_write(const ReportCell *cell, const ReportSource *source, StrobeJsonWriter *json);

/* A limit of the page, halved as often as the page was too large. */
guint report_limit(const ReportSource *source, guint most);

/* Whether the page may have more texts. */
gboolean report_has_texts(const ReportSource *source);

/* Writes a text, cut if it is too long; "..." if the page already has too many bytes of texts. */
void report_write_text(const ReportSource *source, StrobeText text, StrobeJsonWriter *json);

#endif
