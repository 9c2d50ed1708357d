/* SPDX-License-Identifier: Apache-2.0 */
/* A raw file that was cut into slices, read as the one that it was. */
#ifndef STROBE_PROF_RAW_SLICES_H
#define STROBE_PROF_RAW_SLICES_H

#include <glib.h>

#define SLICE_LINE_MAX (64u << 10)

typedef struct Slices {
    int folder;       /* lent */
    char *name;       /* without the number of the slice */
    GPtrArray *names; /* of the slices, in order */
    guint64 bytes;    /* of all of them */
    guint next;       /* slice to open */
    guint64 number;   /* that it should have */
    int fd;           /* of the one that is read, -1: none */
    char *buffer;
    gsize used, at;
    guint64 n_long;      /* lines that were left out */
    guint64 n_left;      /* bytes behind the last whole record */
    guint64 n_missing;   /* slices */
    guint64 n_cut;       /* pieces of lines or records beside them */
    gboolean is_gap;     /* what follows does not follow what is in the buffer */
    gboolean is_in_long; /* before the gap is the begin of a line that was left out */
    gboolean is_shifted; /* where records begin behind a gap is not known */
    int error;           /* errno, 0: none */
} Slices;

/* Takes "name.slice_3" apart: the length of "name" and the number. Without a number 0. */
gsize slice_name(const char *name, guint64 *number);

Slices *slices_new(int folder, const char *name, gsize length);
void slices_free(Slices *slices);
/* After the last one was added they are put in order. */
void slices_add(Slices *slices, const char *name, guint64 bytes);
void slices_sort(Slices *slices);

/* The next line without its end, NUL-terminated, to be changed at will; NULL at the end. Beside a
 * slice that is missing what may be a piece of a line is left out. */
char *slices_line(Slices *slices);
/* The next `n` bytes (at most SLICE_LINE_MAX); NULL if there are fewer, or behind a slice that is
 * missing, where slices do not hold whole records. */
const char *slices_record(Slices *slices, gsize n);

#endif
