/* SPDX-License-Identifier: Apache-2.0 */
/* Memory limit of this process while it reads, sorts and writes, and the folder of its temporary
 * files. Both must be set once, before the first pipeline or import; any thread may read them. */
#ifndef STROBE_CORE_MEMORY_LIMIT_H
#define STROBE_CORE_MEMORY_LIMIT_H

#include <glib.h>

#define STROBE_MAX_MEM_DEFAULT (512u << 20)

/* Sets the memory limit of the process and its folder for temporary files. The text `folder` is
 * copied. NULL: a temporary file is in the folder of the output that it belongs to, or in the
 * system's folder if it belongs to no output. */
void strobe_memory_limit_set(guint64 bytes, const char *folder);

/* Returns the limit that was set, otherwise STROBE_MAX_MEM_DEFAULT. */
guint64 strobe_memory_limit(void);
/* If memory is almost used up, ends the process as a failed allocation does, while there is still
 * enough memory for the message and the cleanup. */
void strobe_memory_check_room(void);
/* Returns the folder of temporary files that was set; if none was set, `otherwise`, or the system's
 * folder if that is NULL. */
const char *strobe_temporary_folder(const char *otherwise);
/* Returns the descriptor of a new, empty file without a name in strobe_temporary_folder(otherwise),
 * which is created if it is missing and was not set. The file disappears when its process ends in
 * any way. -1 with errno set. */
int strobe_temporary_file(const char *otherwise);
/* Is the folder's file system in memory? */
gboolean strobe_folder_is_memory(const char *folder);
/* May temporary files that belong to no output be large? They may if their folder was set or is on
 * a disk. */
gboolean strobe_temporary_has_disk(void);

#endif
