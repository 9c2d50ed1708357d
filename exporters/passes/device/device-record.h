/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the passes over device data: the origin of a capture, times as in the source, fields
 * with equal names. */
#ifndef STROBE_PASSES_DEVICE_RECORD_H
#define STROBE_PASSES_DEVICE_RECORD_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

/* Was the capture imported from a database? Some rules differ between the original's two forms. */
gboolean device_is_database(const StrobeConsumerHost *host, StrobeInstance *self);

/* Duration in microseconds as in the source; `offset` is that of exact_us, or missing. */
double device_exact_us(const StrobeView *record, guint32 offset);

/* The time as the double that Python makes from "%d.%03d" microseconds, or from ns / 1000. */
double device_us(gint64 ns);

/* Rounds to that many decimals, with halves like Python's round: by the exact value of the
 * double. */
double device_round(double value, int decimals);

/* Copies fields of a record to another kind: every field with the same name and type. */
typedef struct DeviceCopy {
    guint32 from, to, size;
} DeviceCopy;

GArray *device_copies_new(const StrobeKindView *from, const StrobeKind *to); /* of DeviceCopy */
void device_copies_apply(const GArray *copies, const StrobeView *record, void *fields);

/* Makes every field absent, because the host's emit returns zeros. */
void device_fields_absent(const StrobeKind *kind, void *fields);

#endif
