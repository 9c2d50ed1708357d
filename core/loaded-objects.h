/* SPDX-License-Identifier: Apache-2.0 */
/* Whether libraries were loaded into this process. */
#ifndef STROBE_CORE_LOADED_OBJECTS_H
#define STROBE_CORE_LOADED_OBJECTS_H

#include <stdint.h>

/* How many objects the loader has added to this process so far; grows with each library that is
 * loaded, by whomever, and before its constructors run. Short: it takes a lock of the loader's that
 * is not held while these run. 0: not known now, as another thread forks or counts. Any thread. */
uint64_t strobe_loaded_objects(void);

#endif
