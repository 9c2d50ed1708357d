/* SPDX-License-Identifier: Apache-2.0 */
/* A JOB directory of a camera board that a command works on. */
#ifndef STROBE_TOOLS_SVP_JOB_H
#define STROBE_TOOLS_SVP_JOB_H

#include "analysis.h"
#include "import.h"

typedef struct StrobeSvpJob {
    char *path; /* as named by the user, for messages */
    char *name; /* its last part */
    int folder; /* for names below it */
    StrobeRegistry *registry;
    gboolean is_silent; /* the standard output is used otherwise */
} StrobeSvpJob;

/* Output of one pass over the JOB. */
typedef struct StrobeSvpOutput {
    const char *exporter;        /* with its options */
    const char *folder;          /* in the JOB; NULL: `keep` receives the files' texts */
    const char *const *prefixes; /* prefixes of the files that it replaces, NULL-terminated */
    const char *ending;          /* of these */
    const char *file; /* path for the only file outside of the JOB, which is then not changed;
                         NULL: the folder */
} StrobeSvpOutput;

/* Whether a path may be used for profiling; warns of unusual characters. Otherwise the error is
 * set. */
gboolean strobe_svp_check_path(const char *option, const char *path, GError **error);

/* The same, for users who want an error instead of the warning. */
gboolean strobe_svp_check_strictly(const char *option, const char *path, GError **error);

/* Paths of the JOB directories in a folder, sorted. NULL: there is none, with the error set. */
GPtrArray *strobe_svp_jobs_in(const char *path, GError **error);
/* Checks that it is a JOB with data, and holds it. FALSE with the error set and nothing held. */
gboolean strobe_svp_job_open(StrobeSvpJob *job, const char *path, char **plugin_path,
                             GError **error);
void strobe_svp_job_close(StrobeSvpJob *job);

/* Reads the JOB once and runs the exporters of `outputs` (ended by one without an exporter).
 * Each file appears complete in its folder, which is made if there are files for it; earlier
 * files with the same prefixes are removed. `kept`, unless NULL, receives the texts of files
 * without a folder, by name. Prints a listing on stderr and the created files on stdout. Free
 * `analysis` (may be NULL). FALSE with the error set. */
gboolean strobe_svp_job_export(StrobeSvpJob *job, const StrobeSvpOutput *outputs, GHashTable *kept,
                               StrobeAnalysis **analysis, GError **error);

#endif
