/* SPDX-License-Identifier: Apache-2.0 */
/* What the original reads out of the names of operations and communicators. */
#ifndef STROBE_PASSES_COMM_NAMES_H
#define STROBE_PASSES_COMM_NAMES_H

#include <glib.h>

/* Operations between two ranks, or several such at once. */
gboolean comm_is_p2p(const char *op_name);
/* The word that stands for the operation in the matrix; "" if there is none. */
const char *comm_type_word(const char *op_name);
/* Hash of a communicator's name, in decimal; a number stays as it is. (transfer full) */
char *comm_group_hash(const char *name);

#endif
