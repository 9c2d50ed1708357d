/* SPDX-License-Identifier: Apache-2.0 */
/* Which files belong to a source: the profiler's database, analysis.db, side files. */
#ifndef STROBE_ASCEND_DB_SOURCES_H
#define STROBE_ASCEND_DB_SOURCES_H

#include <glib.h>
#include <strobe/importer.h>

#include "db-file.h"

/* Type of a database, by its tables. */
enum { DATABASE_NONE = 0, DATABASE_PROFILER, DATABASE_ANALYSIS, DATABASE_OTHER };

typedef struct Sources {
    const StrobeImporterHost *host; /* NULL while probing */
    StrobeInstance *self;
    DbFile *profiler, *analysis; /* owned until taken, NULL: none */
    char *profiler_name;
    GString *refused;  /* databases that could not be opened, and why */
    gboolean has_text; /* a trace lies there too */
} Sources;

/* A folder: its files and those of ASCEND_PROFILER_OUTPUT in it. A file: itself, and what lies
 * beside it. With a host, damage is told and side files are handed over. */
void sources_open(Sources *sources, const StrobeSource *source);
void sources_clear(Sources *sources);

gint database_type(const DbFile *file);

/* Rank in the name of a file, ascend_pytorch_profiler_<rank>.db; -1: none. */
gint rank_in_name(const char *name);

#endif
