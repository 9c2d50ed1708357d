/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a board's properties: its machine, kernel, C library, free disk space and more. */
#ifndef STROBE_REMOTE_BOARD_PROPERTIES_H
#define STROBE_REMOTE_BOARD_PROPERTIES_H

#include "remote-session.h"

typedef struct StrobeBoardProperties {
    char *machine; /* machine type, for example "aarch64" */
    char *kernel;  /* for example "Linux 5.10.0" */
    char *libc;    /* C library: "glibc", "musl" or "uclibc"; "": unknown */
    char *user;
    /* value of kernel.perf_event_paranoid, for example "2"; "": the kernel has no perf events */
    char *perf;
    /* commands that Strobe needs and the board lacks, for example "cksum, setsid"; NULL: none */
    char *lacks;
    guint64 free_bytes;   /* free bytes on the disk of the work folder */
    gint64 date_skew_ns;  /* time of day on the board minus that on this machine */
    guint word_bits;      /* word size of the board's system; 0: unknown */
    gboolean has_runtime; /* libsvp_acl.so was found */
} StrobeBoardProperties;

/* Reads the properties of the board, and sets remote->sum. FALSE with an error; `properties` then
 * need not be cleared. */
gboolean strobe_board_properties_read(StrobeRemote *remote, StrobeBoardProperties *properties,
                                      GError **error);
void strobe_board_properties_clear(StrobeBoardProperties *properties);

#endif
