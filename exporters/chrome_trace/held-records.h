/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that wait until the part of the file that they are in has its turn: what differs from the
 * record before of the same kind, in chunks that each stand by themselves. In memory up to a limit
 * that all logs share, in a scratch file from then on.
 */
#ifndef STROBE_CHROME_TRACE_HELD_RECORDS_H
#define STROBE_CHROME_TRACE_HELD_RECORDS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/record.h>

#define HELD_CHUNK 16384u /* bytes at most */

/* The bytes that a record's fields take, up to a full eight: those are read of each record. */
static inline gsize held_fields_bytes(const StrobeKindView *kind)
{
    gsize n = 0;

    for (guint32 i = 0; i < kind->n_fields; i++)
        n = MAX(n, kind->fields[i].offset + strobe_field_size(kind->fields[i].type));
    return (n + 7) / 8 * 8;
}

/* Logs of one file, which share memory and scratch file. */
typedef struct HeldStore {
    StrobeSafeFile *file; /* NULL: none is needed yet */
    int directory;
    int error; /* errno of the first failure */
    gsize used, most;
    GArray *kinds; /* guint32: words of a record, by number */
} HeldStore;

typedef struct HeldLog HeldLog;

/* What a log says next: a record and what its kind and row are called by, or text. */
typedef struct HeldEntry {
    guint32 kind, row;
    guint64 n_text;  /* not 0: no record; so many bytes of text that were put beside stand here */
    StrobeView view; /* but for its kind; its fields stay until the next entry */
} HeldEntry;

/* Goes through one chunk, while nothing is added. */
typedef struct HeldReader {
    const HeldStore *store;
    const char *at, *end;
    GPtrArray *lasts; /* by number of the kind */
    guint32 chunk;
} HeldReader;

void held_store_init(HeldStore *store, int directory, gsize most);
void held_store_clear(HeldStore *store); /* zeros are allowed */
/* The number of a kind whose fields take so many bytes; and those bytes, as they lie in a record.
 */
guint32 held_store_add_kind(HeldStore *store, guint32 n_bytes);
gsize held_store_field_bytes(const HeldStore *store, guint32 kind);

HeldLog *held_log_new(HeldStore *store);
void held_log_free(HeldLog *log); /* NULL is allowed */
void held_log_add(HeldLog *log, guint32 kind, guint32 row, const StrobeView *view);
void held_log_add_text(HeldLog *log, guint64 n);

/* Once all is added: how many chunks there are, and one of them into HELD_CHUNK bytes; 0 or an
 * errno value. */
guint held_log_n_chunks(HeldLog *log);
int held_log_read(HeldLog *log, guint i, char *bytes, gsize *length);

void held_reader_init(HeldReader *reader, const HeldStore *store);
void held_reader_clear(HeldReader *reader);
/* Begins with a chunk, which stays as it is meanwhile. */
void held_reader_begin(HeldReader *reader, const char *bytes, gsize length);
/* FALSE: that was the last one. */
gboolean held_reader_next(HeldReader *reader, HeldEntry *entry);

#endif
