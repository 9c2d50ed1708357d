/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails on purpose: stands between the recorder and the kernel (linked with
 * --wrap=writev and --wrap=fdatasync). */
#ifndef STROBE_TESTS_FAULTY_DISK_H
#define STROBE_TESTS_FAULTY_DISK_H

#include <glib.h>

struct faulty_disk {
    gint64 room;       /* bytes that still fit, then `error`; -1: no end */
    int error;         /* ENOSPC, EIO ... */
    guint short_every; /* about one write in so many is cut short, or interrupted; 0: none */
    guint delay_us;    /* before each write */
    int sync_error;
    guint n_failed, n_short; /* how often it did */
};

/* Changed from one thread while the writer thread writes; the fields are accessed atomically. */
extern struct faulty_disk faulty_disk;

/* A sound disk again. */
void faulty_disk_reset(void);

#endif
