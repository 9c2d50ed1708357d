/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the components that a plugin declares. Uses GLib. Any thread. */
#ifndef STROBE_CORE_COMPONENT_FAULT_H
#define STROBE_CORE_COMPONENT_FAULT_H

#include <glib.h>
#include <strobe/plugin.h>

/* Returns the reason why the components cannot be used, as a text that follows "was refused:" (free
 * it); NULL: they can be used. Checks integers before pointers. */
char *strobe_components_fault(const StrobeComponent *const *components, guint32 n);

#endif
