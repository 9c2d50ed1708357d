/* SPDX-License-Identifier: Apache-2.0 */
/* Reads metadata of the run from the side files profiler_info_0.json and profiler_metadata.json,
 * and from the name of the folder. */
#ifndef STROBE_ASCEND_TEXT_METADATA_H
#define STROBE_ASCEND_TEXT_METADATA_H

#include "ascend-text-import.h"

typedef struct Metadata {
    Import *import;
    gint level;       /* the level that was requested, or LEVEL_UNKNOWN */
    gint generation;  /* determined by the keys of the file; 0: unknown */
    gint64 named_pid; /* pid in the folder's name; 0: none */
    gint64 start_monotonic, end_monotonic, end_realtime; /* ns; STROBE_ABSENT_I64: unknown */
    /* names and values of metadata, alternating */
    GPtrArray *given;
} Metadata;

void metadata_init(Metadata *metadata, Import *import, const char *path);
void metadata_clear(Metadata *metadata);

/* Reads the contents of a side file. */
void metadata_take(Metadata *metadata, const char *name, const char *bytes, gsize n);
/* Computes the session's begin, which other parts need. Must be called after the last side file. */
void metadata_finish(Metadata *metadata);
/* Passes all metadata to the host, and emits the metadata and device records. Must be called at the
 * end. */
void metadata_tell(Metadata *metadata);

#endif
