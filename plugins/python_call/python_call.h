/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the python_call collector. */
#ifndef STROBE_PLUGINS_PYTHON_CALL_H
#define STROBE_PLUGINS_PYTHON_CALL_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_python_call_ops;

#endif
