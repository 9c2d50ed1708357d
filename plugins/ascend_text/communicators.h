/* SPDX-License-Identifier: Apache-2.0 */
/* Which communicator did an operation, from the keys "<operation>@<communicator>" of
 * communication.json: an older trace has a running number instead of the communicator. */
#ifndef STROBE_ASCEND_TEXT_COMMUNICATORS_H
#define STROBE_ASCEND_TEXT_COMMUNICATORS_H

#include "ascend-text-import.h"

/* Adds the communicators of a file to import->communicators. */
void communicators_read(Import *import, int descriptor);
/* 0: not told, or two communicators did operations of this name. */
StrobeStringId communicators_find(const Import *import, const char *operation);

#endif
