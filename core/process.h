/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about processes and the machine, from /proc. libc only. */
#ifndef STROBE_CORE_PROCESS_H
#define STROBE_CORE_PROCESS_H

#include <stddef.h>

/* The process's command line, arguments separated by blanks, cut to fit. */
void strobe_process_command(char *out, size_t size);

/* Identity of this boot of this machine, "" if unknown. */
void strobe_boot_id(char out[64]);

#endif
