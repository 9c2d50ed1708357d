/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGIN_CHROME_TRACE_H
#define STROBE_PLUGIN_CHROME_TRACE_H

#include <strobe/importer.h>

extern const StrobeImporterOps chrome_trace_importer_ops;

#endif
