/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the activities of devices that CANN's tools or the profiler's own tools have exported. */
#ifndef STROBE_ASCEND_RAW_DEVICE_HALF_H
#define STROBE_ASCEND_RAW_DEVICE_HALF_H

#include "ascend-raw-emit.h"

/* Reads *source, except the data that the framework's files contain as well. If *source cannot be
 * read, or is a damaged database and there is another source, reports the damage and reads the next
 * source. Sets *source to the source that was read, or to DEVICE_NONE. `rank` is the rank of the
 * process; -1: unknown. */
StrobeStatus device_half_import(Raw *raw, gint32 rank, DeviceSource *source);

#endif
