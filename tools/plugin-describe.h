/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a plugin's declarations as JSON, and calls its probes. */
#ifndef STROBE_TOOLS_PLUGIN_DESCRIBE_H
#define STROBE_TOOLS_PLUGIN_DESCRIBE_H

#include <strobe/helpers/json-writer.h>
#include <strobe/plugin.h>

/* Adds the declarations of a plugin to the open object in `json`, as the members that plugin-scan.h
 * describes. */
void strobe_plugin_describe(StrobeJsonWriter *json, const StrobePlugin *plugin);

#endif
