/* SPDX-License-Identifier: Apache-2.0 */
/* The object and the address in it at which code lies, as a frame of native code (native-frame.h).
 * It is found without the dynamic loader's lock: a library's constructor may hold that and wait for
 * the thread that allocates. */
#ifndef STROBE_PLUGINS_CODE_PLACE_H
#define STROBE_PLUGINS_CODE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* 1: this C library finds the object at an address without a lock, and so does the unwinder. */
int heap_code_place_is_known(void);

/* Finds out what the program's own file is. Control thread. */
void heap_code_place_prepare(void);

/* Writes the frame, or the address alone where no object is known. Cut to `size`; returns the
 * length. The object must not be unloaded meanwhile, as it is not while its function has yet to
 * return. Any thread; no lock, no allocation. */
size_t heap_code_place(uintptr_t place, char *text, size_t size);

#endif
