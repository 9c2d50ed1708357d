/* SPDX-License-Identifier: Apache-2.0 */
/* Components with options that a configuration or a flag requests, and lists of them. */
#ifndef STROBE_CORE_CONFIG_COMPONENT_H
#define STROBE_CORE_CONFIG_COMPONENT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/option.h>
#include "component-request.h"
#include "config-json.h"

/* strobe_config_components_new makes a list of components outside of a configuration, such as
 * passes. strobe_config_add_component adds the component "NAME[:opt=value,...]"; errors name
 * `flag`. */
GPtrArray *strobe_config_components_new(void);
gboolean strobe_config_add_component(GPtrArray *components, const char *text, const char *flag,
                                     GError **error);

/* Returns the component `name` in the list; adds it with the origin `origin` if it is missing. */
StrobeConfigComponent *strobe_config_component_add(GPtrArray *list, const char *name,
                                                   const char *origin);

/* Adds the component that a JSON object describes. */
gboolean strobe_config_component_read(GPtrArray *list, const StrobeConfigPlace *place,
                                      const char *name, JsonNode *node, GError **error);

/* Adds "NAME[:opt=value,...]", like strobe_config_add_component(); sets *has to TRUE. */
gboolean strobe_config_component_parse(GPtrArray *list, gboolean *has, const char *text,
                                       const char *flag, GError **error);

/* Did a file or the command line set this option of the component? */
gboolean strobe_config_component_sets(const StrobeConfigComponent *component, const char *option);

/* Converts true-or-false options from the command line to JSON booleans, because JSON accepts no
 * text for them. */
void strobe_config_component_settle(StrobeConfigComponent *component, const StrobeOption *options,
                                    guint n_options);

/* Removes options from JSON that name a file or folder; adds their names to `dropped`. */
void strobe_config_component_drop_paths(StrobeConfigComponent *component,
                                        const StrobeOption *options, guint n_options,
                                        GPtrArray *dropped);

/* Returns a list as a JSON object (unref it), whose members are the names of the components with
 * the options that were given. */
JsonObject *strobe_config_components_json(GPtrArray *components);

#endif
