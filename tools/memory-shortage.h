/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the system refuses: said with its limit, and nothing half made is left. */
#ifndef STROBE_TOOLS_MEMORY_SHORTAGE_H
#define STROBE_TOOLS_MEMORY_SHORTAGE_H

/* GLib ends a process that gets no memory by a trap. From now on it ends with exit code 1 and a
 * message of ours, what is half made removed. */
void strobe_memory_shortage_begin(void);

#endif
