/* SPDX-License-Identifier: Apache-2.0 */
/* Maps each started range to its domain until it ends. The caller must hold the interpreter's
 * lock. */
#ifndef STROBE_PYTHON_OPEN_RANGES_H
#define STROBE_PYTHON_OPEN_RANGES_H

#include <stdint.h>

/* Adds a range; `id` must not be 0, `domain` not NULL. Returns 0, or -1 if out of memory. */
int open_ranges_put(uint64_t id, const void *domain);
/* Returns the domain of a range, or NULL if no range with this id is open. */
const void *open_ranges_find(uint64_t id);
void open_ranges_remove(uint64_t id);
/* Removes all ranges. */
void open_ranges_clear(void);

#endif
