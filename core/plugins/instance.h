/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of an opened component: options, cause chain, log. */
#ifndef STROBE_CORE_INSTANCE_H
#define STROBE_CORE_INSTANCE_H

#include <glib.h>
#include <strobe/exporter.h>
#include "component-request.h"
#include "options.h"

typedef void (*StrobeLogFunction)(StrobeInstance *self, gint32 level, const char *text);

struct StrobeInstance {
    const StrobeComponent *component;
    StrobeOptions *options;
    gpointer owner; /* the collector or consumer to which the instance belongs */
    StrobeLogFunction on_log;
    GMutex lock;
    GString *causes;  /* causes of an error, newest first, joined by ": " */
    GString *lacking; /* optional settings that the component lacks, joined by ", " */
};

/* Sets the requested `options` (`wanted` may be NULL: defaults). Fails for an unknown or wrong
 * option; missing optional settings are listed in `lacking` (may be NULL) instead. */
gboolean strobe_instance_set_options(StrobeOptions *options, const StrobeConfigComponent *wanted,
                                     GString *lacking, GError **error);

/* Does `component` accept the requested options? */
gboolean strobe_instance_check_options(const StrobeComponent *component,
                                       const StrobeConfigComponent *wanted, GError **error);

/* Initialises `self` with the requested options (`wanted` may be NULL: defaults). Fails for an
 * unknown or wrong option. */
gboolean strobe_instance_init(StrobeInstance *self, const StrobeComponent *component,
                              const StrobeConfigComponent *wanted, StrobeLogFunction on_log,
                              gpointer owner, GError **error);
void strobe_instance_clear(StrobeInstance *self);

/* Returns the cause chain (free it), NULL: none. strobe_instance_take_causes also empties it. */
char *strobe_instance_causes(StrobeInstance *self);
char *strobe_instance_take_causes(StrobeInstance *self);

/* Makes an error of the cause chain, "<type> <name>: <call>: <causes>", and empties the chain. */
void strobe_instance_set_error(StrobeInstance *self, const char *call, StrobeStatus status,
                               GError **error);

/* These functions are in the host tables of both collectors and consumers. */
gint32 strobe_instance_option_bool(StrobeInstance *self, const char *name);
gint64 strobe_instance_option_int(StrobeInstance *self, const char *name);
double strobe_instance_option_double(StrobeInstance *self, const char *name);
const char *strobe_instance_option_text(StrobeInstance *self, const char *name);
void strobe_instance_log(StrobeInstance *self, gint32 level, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
StrobeStatus strobe_instance_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                                  gint32 line, const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
