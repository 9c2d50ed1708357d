/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the communicator of an operation by the keys "<operation>@<communicator>" of
 * communication.json, because an older trace has only a running number for the communicator. */
#ifndef STROBE_ASCEND_TEXT_COMMUNICATORS_H
#define STROBE_ASCEND_TEXT_COMMUNICATORS_H

#include "ascend-text-import.h"

/* Adds the communicators of a file to import->communicators. */
void communicators_read(Import *import, int descriptor);
/* Returns the communicator of an operation; 0 if it is unknown, or if operations of two
 * communicators have this name. */
StrobeStringId communicators_find(const Import *import, const char *operation);

#endif
