/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a board's properties: its machine, kernel, C library, free disk space and more. */
#ifndef STROBE_REMOTE_BOARD_PROPERTIES_H
#define STROBE_REMOTE_BOARD_PROPERTIES_H

#include "remote-session.h"

typedef struct StrobeBoardProperties {
    char *machine; /* "aarch64" */
    char *kernel;  /* "Linux 5.10.0" */
    char *libc;    /* "glibc", "musl", "uclibc"; "": unknown */
    char *user;
    char *perf;  /* kernel.perf_event_paranoid, "2"; "": the kernel has no perf events */
    char *lacks; /* commands that Strobe needs and the board lacks: "cksum, setsid"; NULL: none */
    guint64 free_bytes;   /* free on the disk of the work folder */
    gint64 date_skew_ns;  /* the board's time of day minus this machine's */
    guint word_bits;      /* 0: unknown */
    gboolean has_runtime; /* libsvp_acl.so was found */
} StrobeBoardProperties;

/* FALSE: the error; `properties` then need not be cleared. */
gboolean strobe_board_properties_read(StrobeRemote *remote, StrobeBoardProperties *properties,
                                      GError **error);
void strobe_board_properties_clear(StrobeBoardProperties *properties);

#endif
