/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a plugin's declarations as JSON, and calls its probes. */
#ifndef STROBE_TOOLS_PLUGIN_DESCRIBE_H
#define STROBE_TOOLS_PLUGIN_DESCRIBE_H

#include <strobe/helpers/json-writer.h>
#include <strobe/plugin.h>

/* Adds the members of a plugin to the object that is open; see plugin-scan.h. */
void strobe_plugin_describe(StrobeJsonWriter *json, const StrobePlugin *plugin);

#endif
