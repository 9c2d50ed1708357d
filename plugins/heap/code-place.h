/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the object that contains a code address and the address within it, and writes both as a
 * frame of native code (native-frame.h). It does not take the dynamic loader's lock, because a
 * library's constructor may hold the lock and wait for the thread that allocates. */
#ifndef STROBE_PLUGINS_CODE_PLACE_H
#define STROBE_PLUGINS_CODE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* Returns 1 if the C library and its unwinder can find the object at an address without a lock. */
int heap_code_place_is_known(void);

/* Reads the path of the program's own file. Must be called on the control thread. */
void heap_code_place_prepare(void);

/* Writes the frame, or only the address if no object contains it. Cuts the text to `size` and
 * returns its length. The caller must ensure that the object is not unloaded during the call; this
 * is certain if one of its functions is on the stack. Takes no lock, allocates nothing. Any thread
 * may call this function. */
size_t heap_code_place(uintptr_t place, char *text, size_t size);

#endif
