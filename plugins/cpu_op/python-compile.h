/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the collector's part in the Python package, strobe.compiled. */
#ifndef STROBE_PLUGINS_PYTHON_COMPILE_H
#define STROBE_PLUGINS_PYTHON_COMPILE_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_backend.h"

/* Must be called when the session opens. The functions of this file do nothing if there is no
 * Python, or if Python does not have the package. */
void python_compile_open(const StrobeHost *host, StrobeInstance *self,
                         const StrobeTorchBackend *backend);
/* Must be called when a window begins (1) or ends (0). */
void python_compile_record(int on);
void python_compile_close(void);

#endif
