/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a raw file that is divided into slices, as if it were one file. */
#ifndef STROBE_PROF_RAW_SLICES_H
#define STROBE_PROF_RAW_SLICES_H

#include <glib.h>

#define SLICE_LINE_MAX (64u << 10)

typedef struct Slices {
    int folder;       /* borrowed */
    char *name;       /* name without the number of the slice */
    GPtrArray *names; /* names of the slices, in order */
    guint64 bytes;    /* total size of all slices */
    guint next;       /* index of the next slice to open */
    guint64 number;   /* the number that this slice should have */
    int fd;           /* descriptor of the present slice, -1: none */
    char *buffer;
    gsize used, at;
    guint64 n_long;      /* lines that were left out because of their length */
    guint64 n_left;      /* bytes after the last whole record */
    guint64 n_missing;   /* missing slices */
    guint64 n_cut;       /* incomplete lines and records next to missing slices */
    gboolean is_gap;     /* the next bytes do not follow those in the buffer */
    gboolean is_in_long; /* the line before the gap was too long, and its end is missing */
    gboolean is_shifted; /* it is not known where records begin after a gap */
    int error;           /* errno of a failed read, 0: none */
} Slices;

/* Splits "name.slice_3": returns the length of "name", and sets `number` to 3, or to 0 if there is
 * no number. */
gsize slice_name(const char *name, guint64 *number);

Slices *slices_new(int folder, const char *name, gsize length);
void slices_free(Slices *slices);
/* Adds a slice. Call slices_sort() after the last one. */
void slices_add(Slices *slices, const char *name, guint64 bytes);
void slices_sort(Slices *slices);

/* Returns the next line without its newline, NUL-terminated; the caller may change it. Returns NULL
 * at the end. Leaves out lines next to a missing slice, which may be incomplete. */
char *slices_line(Slices *slices);
/* Returns the next `n` bytes (at most SLICE_LINE_MAX). Returns NULL if there are fewer, or if a
 * slice is missing and the slices do not consist of complete records. */
const char *slices_record(Slices *slices, gsize n);

#endif
