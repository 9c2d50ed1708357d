/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process may use while it reads, sorts and writes, and where its temporary
 * files are. Set once, before the first pipeline or import; read by any thread. */
#ifndef STROBE_CORE_MEMORY_LIMIT_H
#define STROBE_CORE_MEMORY_LIMIT_H

#include <glib.h>

#define STROBE_MAX_MEM_DEFAULT (512u << 20)

/* `folder` of temporary files, copied. NULL: temporary files go to the folder of the output that
 * they belong to, else to the system's. */
void strobe_memory_limit_set(guint64 bytes, const char *folder);

/* STROBE_MAX_MEM_DEFAULT unless it was set. */
guint64 strobe_memory_limit(void);
/* Fails as an allocation does while there is memory left for what is to be said and cleaned up. */
void strobe_memory_check_room(void);
/* The folder of temporary files; `otherwise` where none was set, NULL: the system's. */
const char *strobe_temporary_folder(const char *otherwise);
/* An empty file without a name in that folder (made if missing, unless it was set), so that nothing
 * is left of it however its user ends. -1 with errno set. */
int strobe_temporary_file(const char *otherwise);
/* Whether the folder's file system is memory. */
gboolean strobe_folder_is_memory(const char *folder);
/* Whether temporary files without an output may be large: their folder was set, or is on a disk. */
gboolean strobe_temporary_has_disk(void);

#endif
