/* SPDX-License-Identifier: Apache-2.0 */
/* What code lies at an address, told without the dynamic loader's lock: who asks may be a thread
 * that a library's constructor waits for, and the loader holds its lock meanwhile. */
#ifndef STROBE_PLUGINS_CODE_PLACE_H
#define STROBE_PLUGINS_CODE_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* 1: this C library finds the object at an address without a lock, and so does the unwinder. */
int heap_code_place_is_known(void);

/* Writes "function (library)", or "library+0x1234" where no symbol is near, or the address alone.
 * Cut to `size`; returns the length. The object must not be unloaded meanwhile, as it is not while
 * its function has yet to return. Any thread; no lock, no allocation. */
size_t heap_code_place(uintptr_t place, char *text, size_t size);

#endif
