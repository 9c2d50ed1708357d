/* SPDX-License-Identifier: Apache-2.0 */
/* Lists JOB directories and their files on a board. A board is not trusted: each name from it is
 * checked. */
#ifndef STROBE_REMOTE_JOB_LIST_H
#define STROBE_REMOTE_JOB_LIST_H

#include "remote-session.h"

#define STROBE_JOB_FILES_MAX 100000u

typedef struct StrobeJobFile {
    char *name; /* path below the JOB, such as "data/Freq.0"; each part is a checked name */
    guint64 n_bytes;
} StrobeJobFile;

typedef struct StrobeJobList {
    GPtrArray *files;   /* of StrobeJobFile */
    GPtrArray *refused; /* texts: a printable name, and why it was refused */
    guint64 n_bytes;    /* of all files; G_MAXUINT64 if the sum is larger */
} StrobeJobList;

/* Is it a plain name of an entry in a folder: no "/", not "." or "..", no control characters, valid
 * UTF-8, at most 255 bytes? */
gboolean strobe_job_name_is_good(const char *name);

/* Parses the output of `ls -lanR`. */
void strobe_job_list_parse(StrobeJobList *list, const char *text);
void strobe_job_list_clear(StrobeJobList *list);

/* Finds the JOB directories in folders on the board (a NULL-terminated list of absolute paths).
 * Returns absolute paths. NULL: the error. */
GPtrArray *strobe_job_list_find(StrobeRemote *remote, const char *const *folders, GError **error);
/* Lists the files of a JOB directory. FALSE: the error, for example more than 100 000 files. */
gboolean strobe_job_list_read(StrobeRemote *remote, const char *job, StrobeJobList *list,
                              GError **error);

#endif
