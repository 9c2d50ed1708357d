/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the reference page of all components and their options, for docs/. */
#ifndef STROBE_TOOLS_PLUGIN_PAGE_H
#define STROBE_TOOLS_PLUGIN_PAGE_H

#include <glib.h>

/* Prints the page on stdout. `plugins` is the result of strobe_plugin_scan(). The page does not
 * depend on whether a component can work on this machine. */
void strobe_plugin_page_print(const GPtrArray *plugins);

#endif
