/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the types of a source's files by their content. */
#ifndef STROBE_ASCEND_TEXT_SOURCE_FILES_H
#define STROBE_ASCEND_TEXT_SOURCE_FILES_H

#include <ascend.h>
#include <glib.h>
#include <strobe/importer.h>

enum {
    SOURCE_UNKNOWN = 0,
    SOURCE_TRACE,       /* trace_view.json */
    SOURCE_KERNELS,     /* kernel_details.csv */
    SOURCE_TABLE,       /* another file of formats/ascend-csv-columns.c */
    SOURCE_CSV,         /* an unknown table */
    SOURCE_OWN,         /* a table of ours without a form of its own: its records are elsewhere */
    SOURCE_INFO,        /* profiler_info_0.json, profiler_metadata.json */
    SOURCE_DERIVED_JSON /* communication.json, communication_matrix.json */
};

typedef struct SourceFile {
    char *name;
    int folder;     /* descriptor of the folder that it is in, lent; -1: the file is the source */
    int descriptor; /* of the source then, lent */
    gint type;      /* SOURCE_* */
    const AscendFile *table;
    gint generation; /* that its titles tell, 0: none */
    gint device;     /* that its first rows tell, -1: none */
} SourceFile;

typedef struct SourceFiles {
    GPtrArray *files; /* of SourceFile, sorted by name */
    int output;       /* ASCEND_PROFILER_OUTPUT in the source, -1: none */
} SourceFiles;

/* Returns the type of a file with these first bytes. `table` is set for a CSV file. */
gint source_file_type(const char *head, gsize n, const AscendFile **table);

/* Are these the first bytes of a trace as the profiler writes it: an array, with its layers or
 * categories, and times as text? */
gboolean source_file_is_trace(const char *head, gsize n);

/* Looks at every regular file of the source and of ASCEND_PROFILER_OUTPUT in it, or at the file
 * that it is. */
SourceFiles *source_files_new(const StrobeSource *source);
void source_files_free(SourceFiles *files);

/* The first file of the type, NULL if there is none; of tables the first of this name in formats/.
 */
const SourceFile *source_files_find(const SourceFiles *files, gint type);
const SourceFile *source_files_table(const SourceFiles *files, const char *name);
int source_file_open(const SourceFile *file); /* -1: errno */

#endif
