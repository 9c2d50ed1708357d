/* SPDX-License-Identifier: Apache-2.0 */
/* Loads every plugin file in a separate process, so that no plugin can crash the command. */
#ifndef STROBE_TOOLS_PLUGIN_SCAN_H
#define STROBE_TOOLS_PLUGIN_SCAN_H

#include <glib.h>
#include <json-glib/json-glib.h>

/*
 * All plugin files in the search path, in its order: a GPtrArray of JsonObject, each
 *   {"file": path, "name": ..., "shadowed": bool,
 *    "error": why it was refused, failed to load, crashed or hung       (then nothing more)
 *    "version", "summary", "license", "vendor", "url",
 *    "components": [{"type", "name", "summary", "simulated": bool, "any_process": bool,
 *                    "available": "yes" | "no" | "unknown", "reason", "hint",
 *                    "kinds": [..], "wants": [..],
 *                    "options": [{"name", "type", "default", "range", "choices": [..],
 *                                 "required": bool, "summary"}]}]}
 */
GPtrArray *strobe_plugin_scan(const char *const *extra);

#endif
