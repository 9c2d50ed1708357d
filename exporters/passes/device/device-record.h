/* SPDX-License-Identifier: Apache-2.0 */
/* What the passes over device data have in common: where a capture came from, times as the source
 * stated them, fields of equal names. */
#ifndef STROBE_PASSES_DEVICE_RECORD_H
#define STROBE_PASSES_DEVICE_RECORD_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

/* Was the capture made of a database? Some rules differ between the original's two forms. */
gboolean device_is_database(const StrobeConsumerHost *host, StrobeInstance *self);

/* Duration in microseconds as the source stated it; `offset` is that of exact_us, or missing. */
double device_exact_us(const StrobeView *record, guint32 offset);

/* The time as the double that Python makes of "%d.%03d" microseconds, and of ns / 1000. */
double device_us(gint64 ns);

/* To so many decimals, halves as Python's round does: by the exact value of the double. */
double device_round(double value, int decimals);

/* Which bytes of a record's fields go where in another kind: every field of the same name and type.
 */
typedef struct DeviceCopy {
    guint32 from, to, size;
} DeviceCopy;

GArray *device_copies_new(const StrobeKindView *from, const StrobeKind *to); /* of DeviceCopy */
void device_copies_apply(const GArray *copies, const StrobeView *record, void *fields);

/* Makes every field absent: a host's emit hands out zeroes. */
void device_fields_absent(const StrobeKind *kind, void *fields);

#endif
