/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails on purpose: stands between the recorder and the kernel (linked with
 * --wrap=writev, --wrap=fdatasync and --wrap=ftruncate64). */
#ifndef STROBE_TESTS_FAULTY_DISK_H
#define STROBE_TESTS_FAULTY_DISK_H

#include <glib.h>

struct faulty_disk {
    _Atomic gint64 room; /* bytes that still fit, then `error`; -1: no end */
    _Atomic int error;   /* ENOSPC, EIO ... */
    _Atomic guint
        short_every;        /* about one write in so many is cut short, or interrupted; 0: none */
    _Atomic guint delay_us; /* before each write */
    _Atomic int sync_error;
    _Atomic int cut_error;           /* of files that are to be cut */
    _Atomic guint n_failed, n_short; /* how often it did */
};

/* Changed by a test while the writer thread writes. */
extern struct faulty_disk faulty_disk;

/* A sound disk again. */
void faulty_disk_reset(void);

#endif
