/* SPDX-License-Identifier: Apache-2.0 */
/* A component that a configuration, a flag or a call asks for. */
#ifndef STROBE_CORE_COMPONENT_REQUEST_H
#define STROBE_CORE_COMPONENT_REQUEST_H

#include <glib.h>
#include <json-glib/json-glib.h>

/* A component that was asked for, with the options as given (unchecked until it is found). */
typedef struct StrobeConfigComponent {
    char *name;
    char *origin;        /* the file or flag that asked for it */
    JsonObject *json;    /* options from JSON, NULL if none */
    JsonObject *wished;  /* "optional": set where the component has them, NULL if none */
    GPtrArray *pairs;    /* options from a command line, alternating name and value, NULL if none */
    gboolean is_default; /* added by `strobe run`: it is not missed where it finds nothing */
    gboolean required;
    gboolean is_mapped; /* asked for by a key of another profiler, see ascend-config.h */
} StrobeConfigComponent;

#endif
