/* SPDX-License-Identifier: Apache-2.0 */
/* A JOB directory of a camera board that a command works on. */
#ifndef STROBE_TOOLS_SVP_JOB_H
#define STROBE_TOOLS_SVP_JOB_H

#include "analysis.h"
#include "import.h"

typedef struct StrobeSvpJob {
    char *path; /* the path that the user gave, for messages */
    char *name; /* the last part of `path` */
    int folder; /* descriptor of the JOB directory */
    StrobeRegistry *registry;
    /* the names of created files are not printed on stdout, which has other output */
    gboolean is_silent;
} StrobeSvpJob;

/* The output of one exporter in a pass over the JOB. */
typedef struct StrobeSvpOutput {
    const char *exporter; /* name of the exporter with its options, as --export takes it */
    const char *folder;   /* folder in the JOB; NULL: the texts of the files go to `kept` */
    /* prefixes of the names of files that the output replaces, NULL-terminated */
    const char *const *prefixes;
    const char *ending; /* ending that these names must have too */
    /* path outside of the JOB for the only file of this output; the JOB is then not changed. NULL:
     * the files go to `folder` */
    const char *file;
} StrobeSvpOutput;

/* Checks that the path, which the user gave for `option`, may be used for profiling. Prints a
 * warning about unusual characters. FALSE with an error. */
gboolean strobe_svp_check_path(const char *option, const char *path, GError **error);

/* Checks the path like strobe_svp_check_path, but unusual characters are an error. */
gboolean strobe_svp_check_strictly(const char *option, const char *path, GError **error);

/* Returns the paths of the JOB directories in a folder, sorted. NULL: there is none, with the error
 * set. */
GPtrArray *strobe_svp_jobs_in(const char *path, GError **error);
/* Opens the JOB at `path`, and checks that it has data. FALSE with an error: there is nothing to
 * close. */
gboolean strobe_svp_job_open(StrobeSvpJob *job, const char *path, char **plugin_path,
                             GError **error);
void strobe_svp_job_close(StrobeSvpJob *job);

/* Reads the JOB once and runs the exporters of `outputs`, whose last entry has no exporter. Each
 * file appears complete in its folder; the folder is made if there are files for it, and earlier
 * files with the same prefixes are removed. `kept` (may be NULL) gets the texts of files without a
 * folder, by name. Prints a list of the contents on stderr and the created files on stdout.
 * `analysis` may be NULL; free it. FALSE with the error set. */
gboolean strobe_svp_job_export(StrobeSvpJob *job, const StrobeSvpOutput *outputs, GHashTable *kept,
                               StrobeAnalysis **analysis, GError **error);

#endif
