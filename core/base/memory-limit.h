/* SPDX-License-Identifier: Apache-2.0 */
/* Memory limit of this process while it reads, sorts and writes, and the folder of its temporary
 * files. Set once, before the first pipeline or import; read by any thread. */
#ifndef STROBE_CORE_MEMORY_LIMIT_H
#define STROBE_CORE_MEMORY_LIMIT_H

#include <glib.h>

#define STROBE_MAX_MEM_DEFAULT (512u << 20)

/* `folder` of temporary files, copied. NULL: they go to the folder of their output, or else to
 * the system's. */
void strobe_memory_limit_set(guint64 bytes, const char *folder);

/* STROBE_MAX_MEM_DEFAULT unless it was set. */
guint64 strobe_memory_limit(void);
/* If memory is almost used up, fails like an allocation, while enough of it is left for the message
 * and the cleanup. */
void strobe_memory_check_room(void);
/* The folder of temporary files; `otherwise` if none was set, NULL: the system's. */
const char *strobe_temporary_folder(const char *otherwise);
/* An empty file without a name in that folder (created if missing, unless it was set). It
 * disappears when its process ends in any way. -1 with errno set. */
int strobe_temporary_file(const char *otherwise);
/* Is the folder's file system in memory? */
gboolean strobe_folder_is_memory(const char *folder);
/* May temporary files without an output be large? Yes if their folder was set or is on a disk. */
gboolean strobe_temporary_has_disk(void);

#endif
