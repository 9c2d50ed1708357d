/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of the unit tests: scratch folders, small captures, counting of records. */
#ifndef STROBE_TESTS_SUPPORT_H
#define STROBE_TESTS_SUPPORT_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/strobe.h>

/* ThreadSanitizer does not support threads that a forked child makes. */
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#else
#define WITH_TSAN 0
#endif

/* Makes a new folder below the build's temporary folder; scratch_remove removes it and frees the
 * name. */
char *scratch_new(void);
void scratch_remove(char *folder);

/* Makes a session with the given collectors in JSON (such as "{\"fake\":{}}") that writes to
 * `folder`. */
StrobeSession *session_new(const char *folder, const char *collectors, const char *more);

/* Makes a session without collectors, whose stop() waits for the disk, however slow the machine
 * is, and so returns write errors itself. */
StrobeSession *patient_session(const char *folder, const char *more);

/* The count for a test: `quick`, or the value in the environment (the figures of the long
 * suite). */
guint test_count(const char *variable, guint quick);

/* Number of this process's pages in memory. With a sanitizer it grows, because freed memory is
 * kept. */
guint64 resident_pages(void);

/* Number of threads for which the end of the last window has waited in vain. */
guint count_stuck_buffers(void);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* The path of the capture of the session's last window (free it). */
char *capture_of(StrobeSession *session);

/* Reads a whole capture; fails the test on an error. Calls `each` (may be NULL) for every
 * record. Returns the number of records of `kind` (NULL: of all kinds). */
typedef void (*EachRecord)(const StrobeView *view, StrobeText name, gpointer user);
guint64 read_capture(const char *path, const char *kind, EachRecord each, gpointer user);

/* Writes bytes to a new file in `folder`. Returns its path (free it). */
char *write_bytes(const char *folder, const char *name, const char *bytes, gsize n);

#endif
