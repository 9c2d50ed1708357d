/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the reference page of all components and their options, for docs/. */
#ifndef STROBE_TOOLS_PLUGIN_PAGE_H
#define STROBE_TOOLS_PLUGIN_PAGE_H

#include <glib.h>

/* `plugins` is the result of strobe_plugin_scan(). The page does not depend on the machine. */
void strobe_plugin_page_print(const GPtrArray *plugins);

#endif
