/* SPDX-License-Identifier: Apache-2.0 */
/* The storage that record logs and external sorters of this process use. Its memory is a part of
 * --max-mem; its files are in the folder of temporary files (memory-limit.h). */
#ifndef STROBE_CORE_MEMORY_SHARES_H
#define STROBE_CORE_MEMORY_SHARES_H

#include <glib.h>
#include <strobe/helpers/storage.h>

/* Makes the storage. `otherwise` (copied) is the folder for temporary files if no folder was set
 * for the process; NULL: the system's folder. */
StrobeStorage *strobe_storage_new(const char *otherwise);
void strobe_storage_free(StrobeStorage *storage); /* NULL is allowed */

#endif
