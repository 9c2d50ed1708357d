/* SPDX-License-Identifier: Apache-2.0 */
/* Derived records between a pass and those who want them: in memory, beyond a limit in an unlinked
 * temporary file. */
#ifndef STROBE_CORE_SPOOL_H
#define STROBE_CORE_SPOOL_H

#include <glib.h>
#include <strobe/exporter.h>
#include "spooled-differences.h"

typedef struct StrobeSpool StrobeSpool;

StrobeSpool *strobe_spool_new(void);
void strobe_spool_free(StrobeSpool *spool);

/* Appends a copy of the record, with zeroed fields behind it, valid until the next call; NULL when
 * it cannot be kept (disk full). */
struct StrobeSpooled *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record);

typedef struct StrobeSpoolReader StrobeSpoolReader;

/* Nothing is added any more. Any number of threads, each with a reader of its own. */
StrobeSpoolReader *strobe_spool_read(StrobeSpool *spool);
void strobe_spool_reader_free(StrobeSpoolReader *reader);
/* The next record, its fields behind it, valid until the next call. NULL behind the last, or with
 * the error set: it cannot be read. */
const struct StrobeSpooled *strobe_spool_reader_next(StrobeSpoolReader *reader, GError **error);

#endif
