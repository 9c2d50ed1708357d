/* SPDX-License-Identifier: Apache-2.0 */
/* What the unit tests share: scratch folders, small captures, counting of records. */
#ifndef STROBE_TESTS_SUPPORT_H
#define STROBE_TESTS_SUPPORT_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/strobe.h>

/* ThreadSanitizer cannot follow threads that a forked child makes. */
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#else
#define WITH_TSAN 0
#endif

/* A new folder below the build's temporary one; removed by scratch_remove (free it). */
char *scratch_new(void);
void scratch_remove(char *folder);

/* A session with the given collectors JSON (a text such as "{\"fake\":{}}") that writes to
 * `folder`. */
StrobeSession *session_new(const char *folder, const char *collectors, const char *more);

/* One without collectors whose stop() waits for the disk, however slow the machine is, and so tells
 * its errors itself. */
StrobeSession *patient_session(const char *folder, const char *more);

/* A count of a test: `quick`, or what the environment says (the long suite's figures). */
guint test_count(const char *variable, guint quick);

/* Pages of this process that are in memory. A sanitizer keeps freed memory: there they grow. */
guint64 resident_pages(void);

/* Threads that the end of the last window has waited for in vain. */
guint count_stuck_buffers(void);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* Path of the capture that the session's last window made (free it). */
char *capture_of(StrobeSession *session);

/* Reads a whole capture, fails the test on an error. Calls `each` (may be NULL) on every record.
 * Returns the number of records of `kind` (NULL: of all kinds). */
typedef void (*EachRecord)(const StrobeView *view, StrobeText name, gpointer user);
guint64 read_capture(const char *path, const char *kind, EachRecord each, gpointer user);

/* Writes bytes to a new file in `folder`; returns its path (free it). */
char *write_bytes(const char *folder, const char *name, const char *bytes, gsize n);

#endif
