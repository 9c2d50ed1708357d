/* SPDX-License-Identifier: Apache-2.0 */
/* What a board says lies in its folders. A board is not trusted: what it names is checked. */
#ifndef STROBE_REMOTE_JOB_LIST_H
#define STROBE_REMOTE_JOB_LIST_H

#include "remote-session.h"

#define STROBE_JOB_FILES_MAX 100000u

typedef struct StrobeJobFile {
    char *name; /* below the JOB, such as "data/Freq.0"; each part is harmless */
    guint64 n_bytes;
} StrobeJobFile;

typedef struct StrobeJobList {
    GPtrArray *files;   /* of StrobeJobFile */
    GPtrArray *refused; /* texts: a printable name, and why */
    guint64 n_bytes;    /* of all files; G_MAXUINT64 if the sum is larger */
} StrobeJobList;

/* Is it a plain name for one folder's entry: no "/", not "." or "..", no control characters, valid
 * UTF-8, at most 255 bytes? */
gboolean strobe_job_name_is_good(const char *name);

/* Reads what `ls -lanR` prints. */
void strobe_job_list_parse(StrobeJobList *list, const char *text);
void strobe_job_list_clear(StrobeJobList *list);

/* The JOB directories in folders on the board (NULL-terminated, absolute), as absolute paths.
 * NULL: the error. */
GPtrArray *strobe_job_list_find(StrobeRemote *remote, const char *const *folders, GError **error);
/* The files of one. FALSE: the error; there are more than 100 000 files, for one. */
gboolean strobe_job_list_read(StrobeRemote *remote, const char *job, StrobeJobList *list,
                              GError **error);

#endif
