/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of fields from records, keeps them, and writes them to the page. */
#ifndef STROBE_REPORT_CELLS_H
#define STROBE_REPORT_CELLS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>

#define REPORT_TEXT_MAX 400u /* maximum number of bytes of a text in the page */
/* maximum number of bytes of all texts together; further texts are omitted */
#define REPORT_TEXTS_MAX (1200u * 1024u)

/* Limits how large the page becomes. */
typedef struct ReportBudget {
    gsize text_bytes; /* number of bytes of all texts that the page has so far */
    /* how many times the page was too large; each time its limits are halved */
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
/* Sets `number` to the cell's number. Returns FALSE if the cell is absent or is not a number. */
gboolean report_cell_number(const ReportCell *cell, double *number);
void report_cell_write(const ReportCell *cell, const ReportSource *source, StrobeJsonWriter *json);

/* Returns the limit `most`, halved as many times as the page was too large. */
guint report_limit(const ReportSource *source, guint most);

/* Returns whether the page may have more texts. */
gboolean report_has_texts(const ReportSource *source);

/* Writes a text, cut off if it is too long; writes "..." if the page already has too many bytes of
 * texts. */
void report_write_text(const ReportSource *source, StrobeText text, StrobeJsonWriter *json);

#endif
