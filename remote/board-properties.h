/* SPDX-License-Identifier: Apache-2.0 */
/* What a board is. */
#ifndef STROBE_REMOTE_BOARD_PROPERTIES_H
#define STROBE_REMOTE_BOARD_PROPERTIES_H

#include "remote-session.h"

typedef struct StrobeBoardProperties {
    char *machine; /* "aarch64" */
    char *kernel;  /* "Linux 5.10.0" */
    char *libc;    /* "glibc", "musl", "uclibc"; "": unknown */
    char *user;
    char *perf;           /* kernel.perf_event_paranoid, "2"; "": the kernel has no perf events */
    char *lacks;          /* commands that Strobe needs: "cksum, setsid"; NULL: none */
    guint64 free_bytes;   /* of the disk of the folder */
    gint64 date_skew_ns;  /* the board's time of day less this machine's */
    guint word_bits;      /* 0: unknown */
    gboolean has_runtime; /* libsvp_acl.so was found */
} StrobeBoardProperties;

/* FALSE: the error, and nothing to clear. */
gboolean strobe_board_properties_read(StrobeRemote *remote, StrobeBoardProperties *properties,
                                      GError **error);
void strobe_board_properties_clear(StrobeBoardProperties *properties);

#endif
