/* SPDX-License-Identifier: Apache-2.0 */
/* Derives types and hashes from the names of operations and communicators, as the Ascend profiler
 * does. */
#ifndef STROBE_PASSES_COMM_NAMES_H
#define STROBE_PASSES_COMM_NAMES_H

#include <glib.h>

/* Returns whether the operation transfers data between two ranks, or consists of several such
 * operations. */
gboolean comm_is_p2p(const char *op_name);
/* Returns the word for the operation's type in the matrix; "": there is none. */
const char *comm_type_word(const char *op_name);
/* Returns the hash of a communicator's name in decimal digits. A name that is a number is returned
 * unchanged. (transfer full) */
char *comm_group_hash(const char *name);

#endif
