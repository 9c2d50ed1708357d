/* SPDX-License-Identifier: Apache-2.0 */
/* One result through the pipeline, and its new files into place. */
#ifndef STROBE_TOOLS_ANALYSIS_H
#define STROBE_TOOLS_ANALYSIS_H

#include <strobe/helpers/json-writer.h>

#include "config.h"
#include "output-place.h"
#include "pipeline.h"
#include "completeness-report.h"

/* What came of one result. */
typedef struct StrobeAnalysis {
    char *output;            /* the folder with the new files; NULL: none was made */
    StrobeOutputPlace place; /* it is in */
    GPtrArray *files;        /* names in it, sorted */
    GPtrArray *missing;      /* lines, see completeness-report.h */
    GArray *incomplete;      /* of StrobeDerivedCount: kinds of which some records touch a gap */
    guint64 n_records, n_steps;
    guint64 n_own;            /* of n_records: of the recording itself, see completeness-report.h */
    guint64 n_stored, n_lost; /* the loss report: together what was offered */
    gboolean is_live;         /* the program still writes it */
    gboolean is_complete;
} StrobeAnalysis;

void strobe_analysis_free(StrobeAnalysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeAnalysis, strobe_analysis_free)

/* How results are to be analysed. */
typedef struct StrobeAnalysisWish {
    GPtrArray *exporters; /* of StrobeConfigComponent; NULL: those that the capture was recorded
                             with, else the default ones */
    char **also;          /* exporters besides those, as --export names them; NULL: none */
    GPtrArray *importers; /* of StrobeConfigComponent: options of those that read what others
                             recorded into the result; NULL: none */
    const char *parent;   /* NULL: the result directory itself */
    gint generation;      /* of the file formats, 0: as the source */
    StrobeFilter *filter; /* what is exported; NULL: all */
    guint part;           /* number in the name of the folder, 0: none */
    GHashTable *written;  /* folders written before, to the result whose they are: two of one name
                             have one place below `parent`; NULL: not asked */
} StrobeAnalysisWish;

/* Reads "1", "2", "3" or "source" (NULL too); FALSE with a usage error printed. */
gboolean strobe_analysis_generation(const char *text, gint *generation);

/* The exporters that flags name (a type, a list, and a list besides; each may be NULL), as a
 * configuration; NULL without an error if neither a type nor a list is named. */
StrobeConfig *strobe_analysis_exporters(const char *type, char **exporters, char **also,
                                        GError **error);

/* Whether the exporters and importers that are named are there and take their options: to be asked
 * before anything is begun. */
gboolean strobe_analysis_check(StrobeRegistry *registry, const StrobeAnalysisWish *wish,
                               GError **error);

/* Where the files of `result` belong, or of that part of it (free it). */
char *strobe_analysis_folder(const StrobeResult *result, const char *parent, guint part);

/* Analyses `result`, which is only read if it is another user's; then a parent must be given. The
 * files go to ASCEND_PROFILER_OUTPUT in the result directory, or in
 * parent/<name of the result> if `parent` is given. What was there before stays until the new files
 * are complete. Returns NULL only if nothing was made; an exporter that failed while others
 * succeeded sets the error too. */
StrobeAnalysis *strobe_analysis_run(StrobeRegistry *registry, const StrobeResult *result,
                                    const StrobeAnalysisWish *wish, GError **error);

/* Like strobe_analysis_run, and says on stderr where the files are and what is missing. FALSE and
 * the error's exit code in *code on failure. */
gboolean strobe_analysis_report(StrobeRegistry *registry, const StrobeResult *result,
                                const StrobeAnalysisWish *wish, StrobeAnalysis **analysis,
                                int *code);

/* What came of a result, as members of the object that is open in `json`. `analysis` may be NULL.
 */
void strobe_analysis_write(const StrobeAnalysis *analysis, const StrobeResult *result,
                           StrobeJsonWriter *json);

#endif
