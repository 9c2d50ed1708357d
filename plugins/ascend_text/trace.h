/* SPDX-License-Identifier: Apache-2.0 */
/* Converts trace_view.json to records, by the tables of formats/ascend-trace.c. */
#ifndef STROBE_ASCEND_TEXT_TRACE_H
#define STROBE_ASCEND_TEXT_TRACE_H

#include "ascend-text-kernels.h"

/* Reads the file twice: first the layers and threads, then the events. `kernels` may be NULL.
 * Stores the metadata of the run that it finds in `import`. */
void trace_import(Import *import, int descriptor, Kernels *kernels);

#endif
