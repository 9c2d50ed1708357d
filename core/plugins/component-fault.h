/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the components that a plugin declares. GLib; any thread. */
#ifndef STROBE_CORE_COMPONENT_FAULT_H
#define STROBE_CORE_COMPONENT_FAULT_H

#include <glib.h>
#include <strobe/plugin.h>

/* Why the components cannot be used, in words behind "was refused:" (free it); NULL: they can.
 * Integers are looked at before pointers. */
char *strobe_components_fault(const StrobeComponent *const *components, guint32 n);

#endif
