/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may take while it reads, sorts and writes: how much memory, and where the rest
 * lies meanwhile. Set once, before the first pipeline or import; read by any thread. */
#ifndef STROBE_CORE_RESOURCES_H
#define STROBE_CORE_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <strobe/helpers/safe-file.h>

#define STROBE_MAX_MEM_DEFAULT (512u << 20)

/* What strings may take where the heap is memory, and where it goes on in a file: no more than ids
 * there are. */
#define STROBE_TEXT_BYTES_IN_MEMORY ((gsize)256 << 20)
#define STROBE_TEXT_BYTES_IN_FILE ((gsize)64 << 30)

/* `folder` of temporary files, NULL: each with the output it is for, else the system's. Copied.
 * `heap_overflows`: what the heap holds beyond the memory lies in a file. */
void strobe_resources_set(guint64 memory_bytes, const char *folder, gboolean heap_overflows);

/* A thread begins that works on what the heap holds: calls, in it, what was set, if anything was.
 */
void strobe_resources_thread_begins(void);
void strobe_resources_on_thread(void (*begins)(void));

/* Memory that is the heap's and that it does not use, for something else until it is given back:
 * the heap goes on in its file that much earlier. FALSE: it uses it, or there is no such file. What
 * lends is set as above; any thread. */
gboolean strobe_resources_borrow(guint64 bytes);
void strobe_resources_give_back(guint64 bytes);
void strobe_resources_on_borrow(bool (*lend)(uint64_t bytes), void (*take_back)(uint64_t bytes));

/* STROBE_MAX_MEM_DEFAULT unless it was set. */
guint64 strobe_resources_memory(void);
gsize strobe_resources_text_bytes(void);
/* The folder of temporary files; `otherwise` where none was set, NULL: the system's. */
const char *strobe_resources_folder(const char *otherwise);
/* An empty file without a name in that folder (made if missing, unless it was set), so that nothing
 * is left of it however its user ends. -1 with errno set. */
int strobe_resources_scratch(const char *otherwise);
/* The same for what is appended and read back: packed from `plain_bytes` on. NULL with errno set.
 */
StrobeSafeFile *strobe_resources_packed_scratch(const char *otherwise, guint64 plain_bytes);

#endif
