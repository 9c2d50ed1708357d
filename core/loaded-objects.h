/* SPDX-License-Identifier: Apache-2.0 */
/* Whether libraries were loaded into this process. */
#ifndef STROBE_CORE_LOADED_OBJECTS_H
#define STROBE_CORE_LOADED_OBJECTS_H

#include <stdint.h>
#include <strobe/strobe.h>

/* How many objects the loader has added to this process so far; grows with each library that is
 * loaded, by whomever, and before its constructors run. Short: it takes a lock of the loader's that
 * is not held while these run. Any thread. Exported for the Python module; not part of the public
 * API. */
STROBE_API uint64_t strobe_loaded_objects(void);

#endif
