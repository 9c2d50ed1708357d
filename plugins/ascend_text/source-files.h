/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the types of a source's files from their contents. */
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
    /* a table that Strobe wrote for a kind without a table of the profiler; it is not read */
    SOURCE_OWN,
    SOURCE_INFO,        /* profiler_info_0.json, profiler_metadata.json */
    SOURCE_DERIVED_JSON /* communication.json, communication_matrix.json */
};

typedef struct SourceFile {
    char *name;
    int folder;     /* descriptor of its folder, not to be closed; -1: the file is the source */
    int descriptor; /* descriptor of the source if `folder` is -1, not to be closed */
    gint type;      /* SOURCE_* */
    const AscendFile *table;
    gint generation; /* found from its titles; 0: unknown */
    gint device;     /* found from its first rows; -1: unknown */
} SourceFile;

typedef struct SourceFiles {
    GPtrArray *files; /* of SourceFile, sorted by name */
    int output;       /* ASCEND_PROFILER_OUTPUT in the source; -1: none */
} SourceFiles;

/* Returns the type of a file with these first bytes. `table` is set for a CSV file. */
gint source_file_type(const char *head, gsize n, const AscendFile **table);

/* Returns whether these are the first bytes of a trace in the profiler's form: an array with the
 * profiler's layers or categories, and times as text. */
gboolean source_file_is_trace(const char *head, gsize n);

/* Finds the type of every regular file in the source and in its ASCEND_PROFILER_OUTPUT, or the type
 * of the source if that is a file. */
SourceFiles *source_files_new(const StrobeSource *source);
void source_files_free(SourceFiles *files);

/* Return the first file of the type, or the first table with this name in formats/; NULL if there
 * is none. */
const SourceFile *source_files_find(const SourceFiles *files, gint type);
const SourceFile *source_files_table(const SourceFiles *files, const char *name);
int source_file_open(const SourceFile *file); /* -1: errno */

#endif
