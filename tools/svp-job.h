/* SPDX-License-Identifier: Apache-2.0 */
/* A JOB directory of a camera board that a command works on. */
#ifndef STROBE_TOOLS_SVP_JOB_H
#define STROBE_TOOLS_SVP_JOB_H

#include "analysis.h"
#include "import.h"

typedef struct StrobeSvpJob {
    char *path; /* as it was named, for messages */
    char *name; /* its last part */
    int folder; /* for names below it */
    StrobeRegistry *registry;
    gboolean is_silent; /* the standard output is for something else */
} StrobeSvpJob;

/* What one pass over the JOB makes in it. */
typedef struct StrobeSvpOutput {
    const char *exporter;        /* with its options */
    const char *folder;          /* in the JOB; NULL: `keep` gets the files' texts */
    const char *const *prefixes; /* of the files that it replaces, NULL-terminated */
    const char *ending;          /* of these */
    const char *file; /* where the one file goes instead, outside of the JOB, in which nothing is
                         written then; NULL: into the folder */
} StrobeSvpOutput;

/* Whether a path may be used for profiling; warns of what is unusual. Else the error is set. */
gboolean strobe_svp_check_path(const char *option, const char *path, GError **error);

/* Checks that it is a JOB with data, and holds it. FALSE with the error set, nothing held. */
gboolean strobe_svp_job_open(StrobeSvpJob *job, const char *path, char **plugin_path,
                             GError **error);
void strobe_svp_job_close(StrobeSvpJob *job);

/* Reads the JOB once and runs the exporters of `outputs` (ended by one without an exporter). Each
 * file appears whole in its folder, which is made where there are files for it; files of the same
 * prefixes that were there go. `kept`, unless NULL, gets the texts of files without a folder by
 * their names. Says what was found on stderr and what was made on stdout. `analysis` (may be NULL)
 * is to be freed. FALSE with the error set. */
gboolean strobe_svp_job_export(StrobeSvpJob *job, const StrobeSvpOutput *outputs, GHashTable *kept,
                               StrobeAnalysis **analysis, GError **error);

#endif
