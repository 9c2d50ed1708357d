/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test double of libmsprofiler.so with its ABI. It shares no header with the code under test; its
 * numbers are written down here again. It profiles nothing: the folder PROF_* that it makes
 * contains the word "simulated", and only the data that the fake msprof in this folder needs.
 *
 * It is strict where the vendor's library may be lenient: it refuses a call out of order, an
 * undocumented bit of the mask, a text out of range, and another configuration at stop, and logs
 * them as WRONG.
 *
 * Each call is a line of the file that ACLPROF_DOUBLE_LOG names. ACLPROF_DOUBLE selects faults, as
 * words joined by commas:
 *
 *   abort           loading it ends the process
 *   fail=CALL:CODE  init, set, create, start, stop, destroy or finalize return that code
 *                   (create: NULL)
 *   nofolder        no folder is made
 *   noclock         the folder does not say when the collection began
 *   shift=US        the folder says that the collection began this much later
 *
 * ACL_DOUBLE selects the devices of AscendCL's double in this folder, as words joined by commas:
 *
 *   devices=N       the number of devices (2)
 *   current=N       the device of every thread; otherwise no thread has one
 */
#ifndef STROBE_TESTS_ACLPROF_DOUBLE_H
#define STROBE_TESTS_ACLPROF_DOUBLE_H

#include <stdint.h>

/* Notes that the program has launched a kernel between `begin` and `end` (ns since the epoch),
 * which ran for `duration` ns. */
typedef void AclprofDoubleLaunch(uint64_t begin, uint64_t end, uint64_t duration);

/* aclprofStop does not return while this is not 0. Returns the number of calls that wait for it. */
typedef int AclprofDoubleBlock(int blocks);

/* Returns the number of starts, including refused ones. */
typedef int AclprofDoubleAttempts(void);

#endif
