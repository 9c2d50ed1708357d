/* SPDX-License-Identifier: Apache-2.0 */
/* trace_view.json into records, by the rows of formats/ascend-trace.c. */
#ifndef STROBE_ASCEND_TEXT_TRACE_H
#define STROBE_ASCEND_TEXT_TRACE_H

#include "ascend-text-kernels.h"

/* Reads the file through twice: layers and threads first, then the events. `kernels` may be NULL.
 * What it learns of the run is put into `import`. */
void trace_import(Import *import, int descriptor, Kernels *kernels);

#endif
