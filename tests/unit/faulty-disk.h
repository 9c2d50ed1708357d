/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails on purpose. It is between the recorder and the kernel (linked with
 * --wrap=writev, --wrap=fdatasync and --wrap=ftruncate64). */
#ifndef STROBE_TESTS_FAULTY_DISK_H
#define STROBE_TESTS_FAULTY_DISK_H

#include <glib.h>

struct faulty_disk {
    _Atomic gint64 room; /* bytes that still fit; then writes fail with `error`; -1: no limit */
    _Atomic int error;   /* ENOSPC, EIO ... */
    _Atomic guint
        short_every;        /* about one of this many writes is cut short or interrupted; 0: none */
    _Atomic guint delay_us; /* delay before each write */
    _Atomic int sync_error;
    _Atomic int cut_error;           /* error of truncating files */
    _Atomic guint n_failed, n_short; /* number of such failures */
};

/* A test changes it while the writer thread writes. */
extern struct faulty_disk faulty_disk;

/* Makes the disk work again. */
void faulty_disk_reset(void);

#endif
