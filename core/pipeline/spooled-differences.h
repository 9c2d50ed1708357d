/* SPDX-License-Identifier: Apache-2.0 */
/* Derived records that wait, as what differs from the record before of their kind: a third of the
 * bytes, for less than it takes to write these. */
#ifndef STROBE_CORE_SPOOLED_DIFFERENCES_H
#define STROBE_CORE_SPOOLED_DIFFERENCES_H

#include <glib.h>
#include <strobe/exporter.h>

/* A derived record; its fields follow. */
struct StrobeSpooled {
    guint16 kind;  /* index into the pass's kinds */
    guint16 flags; /* STROBE_VIEW_* */
    StrobeTrackId track;
    StrobeStringId name;
    guint32 field_bytes;
    gint64 begin_ns, end_ns;
};

/* Room that the differences of so many bytes of records may need. */
#define STROBE_SPOOLED_ROOM(bytes_) ((bytes_) + (bytes_) / 4 + 8)

/* Whole records (StrobeSpooled and their fields) into what differs; returns its length. */
gsize strobe_spooled_put(const char *records, gsize bytes, char *to);
/* The reverse; FALSE: it is not what was put of so many bytes. */
gboolean strobe_spooled_take(const char *from, gsize length, char *records, gsize bytes);

#endif
