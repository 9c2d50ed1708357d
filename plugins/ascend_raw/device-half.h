/* SPDX-License-Identifier: Apache-2.0 */
/* Reads device activities that CANN's tools or the profiler's own tools have exported. */
#ifndef STROBE_ASCEND_RAW_DEVICE_HALF_H
#define STROBE_ASCEND_RAW_DEVICE_HALF_H

#include "ascend-raw-emit.h"

/* Reads it, less what the framework's files tell themselves. Where it cannot be read, or is a
 * damaged database and there is another source, that one is taken, and the damage told; *source
 * says which it was, DEVICE_NONE: none. `rank` of the process, -1: not known. */
StrobeStatus device_half_import(Raw *raw, gint32 rank, DeviceSource *source);

#endif
