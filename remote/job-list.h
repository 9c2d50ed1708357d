/* SPDX-License-Identifier: Apache-2.0 */
/* Lists JOB directories and their files on a board. A board is not trusted: each name from it is
 * checked. */
#ifndef STROBE_REMOTE_JOB_LIST_H
#define STROBE_REMOTE_JOB_LIST_H

#include "remote-session.h"

#define STROBE_JOB_FILES_MAX 100000u

typedef struct StrobeJobFile {
    /* path below the JOB, for example "data/Freq.0", each part of which is a checked name */
    char *name;
    guint64 n_bytes;
} StrobeJobFile;

typedef struct StrobeJobList {
    GPtrArray *files;   /* of StrobeJobFile */
    GPtrArray *refused; /* of text: a printable name, and the reason for which it was refused */
    guint64 n_bytes;    /* number of bytes of all files; G_MAXUINT64 if the sum is larger */
} StrobeJobList;

/* Whether the name may be that of an entry in a folder: valid UTF-8, at most 255 bytes, without "/"
 * and control characters, and not "." or "..". */
gboolean strobe_job_name_is_good(const char *name);

/* Parses the output of `ls -lanR` into `list`. */
void strobe_job_list_parse(StrobeJobList *list, const char *text);
void strobe_job_list_clear(StrobeJobList *list);

/* Returns the absolute paths of the JOB directories in `folders` on the board, a NULL-terminated
 * list of absolute paths. NULL with an error. */
GPtrArray *strobe_job_list_find(StrobeRemote *remote, const char *const *folders, GError **error);
/* Lists the files of a JOB directory in `list`. FALSE with an error, for example that there are
 * more than 100 000 files. */
gboolean strobe_job_list_read(StrobeRemote *remote, const char *job, StrobeJobList *list,
                              GError **error);

#endif
