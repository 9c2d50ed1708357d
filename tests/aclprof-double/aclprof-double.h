/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A double of libmsprofiler.so by its ABI, for tests. It shares no header with the code under test;
 * numbers are written down here a second time. It profiles nothing: the folder PROF_* that it makes
 * says "simulated", and holds only what the fake msprof beside it needs to know.
 *
 * It is strict where the vendor's library may be lenient: a call out of order, a bit of the mask
 * that nobody documents, a text out of range, another configuration at stop are each refused, and
 * written down as WRONG.
 *
 * Each call is a line of the file that ACLPROF_DOUBLE_LOG names. How it goes wrong is said by
 * ACLPROF_DOUBLE, words joined by commas:
 *
 *   abort           loading it ends the process
 *   fail=CALL:CODE  init, set, create, start, stop, destroy or finalize return that code (create:
 * none) nofolder        no folder is made noclock         the folder does not say when the
 * collection began shift=US        ... says it by so much too late
 *
 * AscendCL's double beside it has devices by ACL_DOUBLE, words joined by commas:
 *
 *   devices=N       there are so many (2)
 *   current=N       that of every thread; else no thread has one
 */
#ifndef STROBE_TESTS_ACLPROF_DOUBLE_H
#define STROBE_TESTS_ACLPROF_DOUBLE_H

#include <stdint.h>

/* The program has launched a kernel between these moments, ns since the epoch. It lasted so long.
 */
typedef void AclprofDoubleLaunch(uint64_t begin, uint64_t end, uint64_t duration);

/* aclprofStop does not come back as long as this is not 0. Returns how many calls wait for that. */
typedef int AclprofDoubleBlock(int blocks);

/* Number of starts, and of refused starts. */
typedef int AclprofDoubleAttempts(void);

#endif
