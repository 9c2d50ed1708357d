/* SPDX-License-Identifier: Apache-2.0 */
/* What a board is. */
#ifndef STROBE_REMOTE_BOARD_FACTS_H
#define STROBE_REMOTE_BOARD_FACTS_H

#include "remote-session.h"

typedef struct StrobeBoardFacts {
    char *machine; /* "aarch64" */
    char *kernel;  /* "Linux 5.10.0" */
    char *libc;    /* "glibc", "musl", "uclibc"; "": unknown */
    char *user;
    guint64 free_bytes;   /* of the disk of the folder */
    gint64 date_skew_ns;  /* the board's time of day less this machine's */
    guint word_bits;      /* 0: unknown */
    gboolean has_runtime; /* libsvp_acl.so was found */
} StrobeBoardFacts;

/* FALSE: the error, and nothing to clear. */
gboolean strobe_board_facts_read(StrobeRemote *remote, StrobeBoardFacts *facts, GError **error);
void strobe_board_facts_clear(StrobeBoardFacts *facts);

#endif
