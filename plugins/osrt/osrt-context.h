/* SPDX-License-Identifier: Apache-2.0 */
/* State that the parts of osrt share: the host and the track of the process. */
#ifndef STROBE_PLUGINS_OSRT_CONTEXT_H
#define STROBE_PLUGINS_OSRT_CONTEXT_H

#include <strobe/collector.h>
#include <sys/types.h>

typedef struct OsrtContext {
    const StrobeHost *host;
    StrobeInstance *self;
    const char *proc_root, *sys_root;
    pid_t pid;
    long page_size;
} OsrtContext;

#endif
