/* SPDX-License-Identifier: Apache-2.0 */
/* Derives types and hashes from the names of operations and communicators, as the Ascend profiler
 * does. */
#ifndef STROBE_PASSES_COMM_NAMES_H
#define STROBE_PASSES_COMM_NAMES_H

#include <glib.h>

/* TRUE for an operation between two ranks, or for several of these at once. */
gboolean comm_is_p2p(const char *op_name);
/* The word for the operation's type in the matrix; "" if there is none. */
const char *comm_type_word(const char *op_name);
/* Hash of a communicator's name, in decimal; a number stays as it is. (transfer full) */
char *comm_group_hash(const char *name);

#endif
