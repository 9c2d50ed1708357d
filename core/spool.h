/* SPDX-License-Identifier: Apache-2.0 */
/* Derived records between a pass and those who want them: in memory, beyond a limit in an unlinked
 * temporary file. */
#ifndef STROBE_CORE_SPOOL_H
#define STROBE_CORE_SPOOL_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeSpool StrobeSpool;

struct StrobeSpooled {
    guint16 kind;  /* index into the pass's kinds */
    guint16 flags; /* STROBE_VIEW_* */
    StrobeTrackId track;
    StrobeStringId name;
    guint32 field_bytes;
    gint64 begin_ns, end_ns;
};

StrobeSpool *strobe_spool_new(void);
void strobe_spool_free(StrobeSpool *spool);

/* Appends a record and returns its zeroed fields, valid until the next call; NULL when it cannot be
 * kept (disk full). */
void *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record);
/* Adds flags to the record appended last; nothing if there is none, or it cannot be kept. */
void strobe_spool_flag(StrobeSpool *spool, guint16 flags);

/* Reads back from the start: the next piece of the stream (whole records), NULL at the end or on an
 * error. The piece is valid until the next call. May be started over with rewind. */
const char *strobe_spool_next(StrobeSpool *spool, gsize *bytes, GError **error);
gboolean strobe_spool_rewind(StrobeSpool *spool, GError **error);

#endif
