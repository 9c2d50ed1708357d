/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a disk that fails. Replaces system calls of the recorder: the test is linked with
 * --wrap=writev, --wrap=fdatasync and --wrap=ftruncate64. */
#ifndef STROBE_TESTS_FAULTY_DISK_H
#define STROBE_TESTS_FAULTY_DISK_H

#include <glib.h>

struct faulty_disk {
    /* number of bytes that still fit, after which writes fail with `error`; -1: no limit */
    _Atomic gint64 room;
    _Atomic int error; /* error of the failing writes, for example ENOSPC */
    _Atomic guint
        short_every; /* about one of so many writes writes only a part or is interrupted; 0: none */
    _Atomic guint delay_us; /* delay before each write */
    _Atomic int sync_error;
    _Atomic int cut_error; /* error of the calls that truncate a file; 0: none */
    /* numbers of writes that failed, and of writes that were short or interrupted */
    _Atomic guint n_failed, n_short;
};

/* The state of the simulated disk. A test may change it while the writer thread writes. */
extern struct faulty_disk faulty_disk;

/* Makes the disk work again. */
void faulty_disk_reset(void);

#endif
