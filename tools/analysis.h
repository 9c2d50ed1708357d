/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses one result: runs the pipeline into a fresh folder and moves this folder to the path of
 * the output folder. */
#ifndef STROBE_TOOLS_ANALYSIS_H
#define STROBE_TOOLS_ANALYSIS_H

#include <strobe/helpers/json-writer.h>

#include "config.h"
#include "output-place.h"
#include "pipeline.h"
#include "completeness-report.h"

/* Outcome of the analysis of one result. */
typedef struct StrobeAnalysis {
    char *output;            /* the folder with the new files; NULL: none was made */
    StrobeOutputPlace place; /* the folder that contains `output` */
    GPtrArray *files;        /* names of the files in `output`, sorted */
    GPtrArray *missing;      /* lines, see completeness-report.h */
    GArray *incomplete; /* of StrobeDerivedCount: derived kinds with records that touch a gap */
    guint64 n_records, n_steps;
    /* number of these records that are about the recording itself, see completeness-report.h */
    guint64 n_own;
    guint64 n_stored, n_lost; /* number of records that were stored, and of those that were lost */
    gboolean is_live;         /* the program still writes the capture */
    gboolean is_complete;
} StrobeAnalysis;

void strobe_analysis_free(StrobeAnalysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeAnalysis, strobe_analysis_free)

/* Parameters of an analysis. */
typedef struct StrobeAnalysisWish {
    /* of StrobeConfigComponent; NULL: the exporters that the capture names, or the default ones if
     * it names none */
    GPtrArray *exporters;
    char **also;          /* additional exporters, as --export names them; NULL: none */
    GPtrArray *importers; /* of StrobeConfigComponent: options of the importers of external data;
                             NULL: none */
    const char *parent;   /* folder for the output; NULL: the result directory itself */
    gint generation;      /* generation of the file formats, 0: that of the source */
    StrobeFilter *filter; /* selects the exported records; NULL: all */
    /* number of the exported part, for the name of the folder; 0: the result is not divided */
    guint part;
    /* path of a written folder -> capture of its result, to find two results with the same name
     * below `parent`; NULL: not checked */
    GHashTable *written;
} StrobeAnalysisWish;

/* Reads the generation "1", "2", "3" or "source" (NULL means "source"). FALSE: a usage error was
 * printed. */
gboolean strobe_analysis_generation(const char *text, gint *generation);

/* Returns a configuration with the exporters that the flags name: those for a `type`, the list
 * `exporters`, and the additional list `also`. Each may be NULL. NULL without an error: neither a
 * type nor a list is given. */
StrobeConfig *strobe_analysis_exporters(const char *type, char **exporters, char **also,
                                        GError **error);

/* Checks that the named exporters and importers exist and accept their options. Call this before
 * any work begins. */
gboolean strobe_analysis_check(StrobeRegistry *registry, const StrobeAnalysisWish *wish,
                               GError **error);

/* Returns the path of the folder for the files of `result` or, if `part` is not 0, of the part with
 * this number (free it). */
char *strobe_analysis_folder(const StrobeResult *result, const char *parent, guint part);

/* Analyses `result`. The files go to ASCEND_PROFILER_OUTPUT in the result directory or, if `parent`
 * is given, to parent/<name of the result>. A result of another user is only read, so it needs a
 * `parent`. The previous output folder stays until the new files are complete. Returns NULL only if
 * no file was made. If one exporter failed and others succeeded, the error is set too. */
StrobeAnalysis *strobe_analysis_run(StrobeRegistry *registry, const StrobeResult *result,
                                    const StrobeAnalysisWish *wish, GError **error);

/* Calls strobe_analysis_run, and prints on stderr the folder of the files and the missing data.
 * FALSE: an error was printed, and *code is its exit code. */
gboolean strobe_analysis_report(StrobeRegistry *registry, const StrobeResult *result,
                                const StrobeAnalysisWish *wish, StrobeAnalysis **analysis,
                                int *code);

/* Writes the outcome as members of the object that is open in `json`. `analysis` may be NULL. */
void strobe_analysis_write(const StrobeAnalysis *analysis, const StrobeResult *result,
                           StrobeJsonWriter *json);

#endif
