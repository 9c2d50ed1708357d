/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the type of each file of a source from its contents. */
#ifndef STROBE_ASCEND_TEXT_SOURCE_FILES_H
#define STROBE_ASCEND_TEXT_SOURCE_FILES_H

#include <ascend.h>
#include <glib.h>
#include <strobe/importer.h>

enum {
    SOURCE_UNKNOWN = 0,
    SOURCE_TRACE,   /* trace_view.json */
    SOURCE_KERNELS, /* kernel_details.csv */
    SOURCE_TABLE,   /* another file that formats/ascend-csv-columns.c describes */
    SOURCE_CSV,     /* an unknown table */
    /* a table that Strobe wrote for a kind that has no table of the profiler; not imported */
    SOURCE_OWN,
    SOURCE_INFO,        /* profiler_info_0.json, profiler_metadata.json */
    SOURCE_DERIVED_JSON /* communication.json, communication_matrix.json */
};

typedef struct SourceFile {
    char *name;
    /* descriptor of the file's folder, which must not be closed; -1: the file is the source */
    int folder;
    int descriptor; /* if `folder` is -1: descriptor of the source, which must not be closed */
    gint type;      /* SOURCE_* */
    const AscendFile *table;
    gint generation; /* determined by the file's titles; 0: unknown */
    gint device;     /* determined by the file's first rows; -1: unknown */
} SourceFile;

typedef struct SourceFiles {
    GPtrArray *files; /* elements of type SourceFile, sorted by name */
    int output;       /* descriptor of ASCEND_PROFILER_OUTPUT in the source; -1: there is none */
} SourceFiles;

/* Returns the type of a file that begins with these bytes. Sets `table` for a CSV file. */
gint source_file_type(const char *head, gsize n, const AscendFile **table);

/* Returns whether these are the first bytes of a trace in the profiler's form: an array with the
 * profiler's layers or categories, and times as text. */
gboolean source_file_is_trace(const char *head, gsize n);

/* Finds the type of every regular file in the source and in its ASCEND_PROFILER_OUTPUT, or the type
 * of the source if that is a file. */
SourceFiles *source_files_new(const StrobeSource *source);
void source_files_free(SourceFiles *files);

/* source_files_find returns the first file of the type; source_files_table returns the first table
 * with this name in formats/. NULL: there is none. */
const SourceFile *source_files_find(const SourceFiles *files, gint type);
const SourceFile *source_files_table(const SourceFiles *files, const char *name);
int source_file_open(const SourceFile *file); /* -1: errno */

#endif
