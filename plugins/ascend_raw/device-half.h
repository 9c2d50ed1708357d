/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices did, as CANN's tools or the profiler's own have exported it. */
#ifndef STROBE_ASCEND_RAW_DEVICE_HALF_H
#define STROBE_ASCEND_RAW_DEVICE_HALF_H

#include "ascend_raw.h"

typedef enum DeviceSource {
    DEVICE_NONE,
    DEVICE_PROF_DB,   /* PROF_*\/msprof_*.db */
    DEVICE_PROF_TEXT, /* PROF_*\/mindstudio_profiler_output */
    DEVICE_OUTPUT_DB  /* ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler*.db */
} DeviceSource;

extern const char *const device_source_words[];

/* Has CANN exported what is in this directory PROF_*? */
gboolean device_half_is_exported(int prof);

/* Where it can be read from. `has_text` is TRUE if the profiler's output has a trace. */
DeviceSource device_half_find(const RawFiles *files, gboolean *has_text);

/* Reads it, less what the framework's files tell themselves. Where it cannot be read, or is a
 * damaged database and there is another source, that one is taken, and the damage told; *source
 * says which it was, DEVICE_NONE: none. `rank` of the process, -1: not known. */
StrobeStatus device_half_import(Raw *raw, gint32 rank, DeviceSource *source);

#endif
