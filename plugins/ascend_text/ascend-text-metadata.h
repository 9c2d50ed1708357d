/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the run from the files beside the results: profiler_info_0.json,
 * profiler_metadata.json and the name of the folder. */
#ifndef STROBE_ASCEND_TEXT_METADATA_H
#define STROBE_ASCEND_TEXT_METADATA_H

#include "ascend-text-import.h"

typedef struct Metadata {
    Import *import;
    gint level;       /* as it was asked for, LEVEL_UNKNOWN: not told */
    gint generation;  /* by the keys, 0: not told */
    gint64 named_pid; /* in the folder's name, 0: none */
    gint64 start_monotonic, end_monotonic, end_realtime; /* ns, STROBE_ABSENT_I64: not told */
    GPtrArray *given;                                    /* name and value by turns */
} Metadata;

void metadata_init(Metadata *metadata, Import *import, const char *path);
void metadata_clear(Metadata *metadata);

/* Bytes of such a file. */
void metadata_take(Metadata *metadata, const char *name, const char *bytes, gsize n);
/* After the last of them: what the other parts need. */
void metadata_finish(Metadata *metadata);
/* Call it at the end: it reports all facts and emits the records without a time. */
void metadata_tell(Metadata *metadata);

#endif
