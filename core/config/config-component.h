/* SPDX-License-Identifier: Apache-2.0 */
/* Components that a configuration or a flag asks for, with their options, and lists of them. */
#ifndef STROBE_CORE_CONFIG_COMPONENT_H
#define STROBE_CORE_CONFIG_COMPONENT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/option.h>
#include "component-request.h"
#include "config-json.h"

/* The same for a list of components that belong to no configuration, such as passes; `flag` is
 * named in errors. */
GPtrArray *strobe_config_components_new(void);
gboolean strobe_config_add_component(GPtrArray *components, const char *text, const char *flag,
                                     GError **error);

/* The component of that name in the list, added with that origin if it is not there. */
StrobeConfigComponent *strobe_config_component_add(GPtrArray *list, const char *name,
                                                   const char *origin);

/* Adds a component from its object in JSON. */
gboolean strobe_config_component_read(GPtrArray *list, const StrobeConfigPlace *place,
                                      const char *name, JsonNode *node, GError **error);

/* Adds "NAME[:opt=value,...]", as strobe_config_add_component(); *has becomes TRUE. */
gboolean strobe_config_component_parse(GPtrArray *list, gboolean *has, const char *text,
                                       const char *flag, GError **error);

/* Does the file or the command line set this option? */
gboolean strobe_config_component_sets(const StrobeConfigComponent *component, const char *option);

/* Options of the command line that are true or false, of a component with these options, become so
 * in JSON: there a text is none. */
void strobe_config_component_settle(StrobeConfigComponent *component, const StrobeOption *options,
                                    guint n_options);

/* Takes away the options from JSON that name a file or folder, of a component with these options;
 * adds their names to `dropped`. */
void strobe_config_component_drop_paths(StrobeConfigComponent *component,
                                        const StrobeOption *options, guint n_options,
                                        GPtrArray *dropped);

/* A list as JSON (unref it): by name, with the options as given. */
JsonObject *strobe_config_components_json(GPtrArray *components);

#endif
