/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of a source: the profiler's database, analysis.db, side files. */
#ifndef STROBE_ASCEND_DB_SOURCES_H
#define STROBE_ASCEND_DB_SOURCES_H

#include <glib.h>
#include <strobe/importer.h>

#include "db-file.h"

/* Types of databases, which are determined by their tables. */
enum { DATABASE_NONE = 0, DATABASE_PROFILER, DATABASE_ANALYSIS, DATABASE_OTHER };

typedef struct Sources {
    const StrobeImporterHost *host; /* NULL while probing */
    StrobeInstance *self;
    DbFile *profiler, *analysis; /* closed by sources_clear; NULL: there is none */
    char *profiler_name;
    GString *refused;  /* databases that could not be opened, and the reasons */
    gboolean has_text; /* the folder also has a trace */
} Sources;

/* Opens the files. For a folder: its files and the files of its ASCEND_PROFILER_OUTPUT. For a file:
 * the file itself, and analysis.db and side files in its folder. If there is a host, reports damage
 * and passes the side files on. */
void sources_open(Sources *sources, const StrobeSource *source);
void sources_clear(Sources *sources);

gint database_type(const DbFile *file);

/* Returns the rank in a file's name, ascend_pytorch_profiler_<rank>.db; -1: none. */
gint rank_in_name(const char *name);

#endif
