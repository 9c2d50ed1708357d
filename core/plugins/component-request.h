/* SPDX-License-Identifier: Apache-2.0 */
/* A component that a configuration, a flag or a call requests. */
#ifndef STROBE_CORE_COMPONENT_REQUEST_H
#define STROBE_CORE_COMPONENT_REQUEST_H

#include <glib.h>
#include <json-glib/json-glib.h>

/* A requested component, with its options as given (unchecked until the component is found). */
typedef struct StrobeConfigComponent {
    char *name;
    char *origin;       /* the file or flag that requests the component */
    JsonObject *json;   /* options from JSON, NULL if none */
    JsonObject *wished; /* "optional": options to set if the component has them, NULL if none */
    GPtrArray *pairs;   /* options from a command line, alternating name and value, NULL if none */
    /* added by `strobe run`: no error if the collector finds nothing to collect */
    gboolean is_default;
    gboolean required;
    gboolean is_mapped; /* requested by a key of another profiler, see ascend-config.h */
} StrobeConfigComponent;

#endif
