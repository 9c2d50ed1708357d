/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of the unit tests: temporary folders, small captures, counting of records. */
#ifndef STROBE_TESTS_SUPPORT_H
#define STROBE_TESTS_SUPPORT_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/strobe.h>

/* 1: the test is built with ThreadSanitizer, which does not support threads that a forked child
 * makes */
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#else
#define WITH_TSAN 0
#endif

/* Makes a new folder below the build's temporary folder, and returns its path. scratch_remove
 * removes the folder and frees the path. */
char *scratch_new(void);
void scratch_remove(char *folder);

/* Makes a session that writes to `folder`. `collectors` is JSON, for example "{\"fake\":{}}";
 * `more` is further JSON for the configuration, NULL: none. */
StrobeSession *session_new(const char *folder, const char *collectors, const char *more);

/* Makes a session without collectors, whose stop() waits for the disk without a time limit, and so
 * returns write errors itself. */
StrobeSession *patient_session(const char *folder, const char *more);

/* Returns the value of the environment variable, which the long suite sets, or `quick` if it is not
 * set. */
guint test_count(const char *variable, guint quick);

/* Returns the number of this process's pages in memory that are not of files or shared memory. The
 * pages of a pool are not among them: how many of its blocks are in use depends on when the writer
 * gets a processor. With a sanitizer the number grows, because freed memory is kept. */
guint64 private_pages(void);

/* Returns the number of thread buffers for whose threads the end of the last window has waited
 * without success. */
guint count_stuck_buffers(void);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* Returns the path of the capture of the session's last window (free it). */
char *capture_of(StrobeSession *session);

/* Reads a whole capture; fails the test on an error. Calls `each` (may be NULL) for every
 * record. Returns the number of records of `kind` (NULL: of all kinds). */
typedef void (*EachRecord)(const StrobeView *view, StrobeText name, gpointer user);
guint64 read_capture(const char *path, const char *kind, EachRecord each, gpointer user);

/* Writes bytes to a new file in `folder`. Returns its path (free it). */
char *write_bytes(const char *folder, const char *name, const char *bytes, gsize n);

#endif
