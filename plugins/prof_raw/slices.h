/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a raw file that is divided into slices, as if it were one file. */
#ifndef STROBE_PROF_RAW_SLICES_H
#define STROBE_PROF_RAW_SLICES_H

#include <glib.h>

#define SLICE_LINE_MAX (64u << 10)

typedef struct Slices {
    int folder;       /* descriptor of the folder, which the caller closes */
    char *name;       /* name without the number of the slice */
    GPtrArray *names; /* names of the slices, in order */
    guint64 bytes;    /* total size of all slices */
    guint next;       /* index of the next slice to open */
    guint64 number;   /* the number that the next slice should have */
    int fd;           /* descriptor of the present slice; -1: none */
    char *buffer;
    gsize used, at;
    guint64 n_long;      /* number of lines that were omitted because of their length */
    guint64 n_left;      /* number of bytes after the last whole record */
    guint64 n_missing;   /* number of missing slices */
    guint64 n_cut;       /* number of incomplete lines and records next to missing slices */
    gboolean is_gap;     /* the next bytes do not follow those in the buffer */
    gboolean is_in_long; /* the line before the gap was too long, and its end is missing */
    gboolean is_shifted; /* it is not known where records begin after a gap */
    int error;           /* errno of a failed read; 0: none */
} Slices;

/* Splits "name.slice_3": returns the length of "name", and sets `number` to 3, or to 0 if there is
 * no number. */
gsize slice_name(const char *name, guint64 *number);

Slices *slices_new(int folder, const char *name, gsize length);
void slices_free(Slices *slices);
/* Adds a slice. After the last slice, slices_sort() must be called. */
void slices_add(Slices *slices, const char *name, guint64 bytes);
void slices_sort(Slices *slices);

/* Returns the next line without its newline, NUL-terminated; NULL: there is none. The caller may
 * change the line. Omits lines next to a missing slice, which may be incomplete. */
char *slices_line(Slices *slices);
/* Returns the next `n` bytes (at most SLICE_LINE_MAX). Returns NULL if there are fewer, or a slice
 * is missing and it is unknown where records begin after it. */
const char *slices_record(Slices *slices, gsize n);

#endif
