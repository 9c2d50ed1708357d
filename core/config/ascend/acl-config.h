/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads AscendCL's acl.json as a configuration: its object "profiler", whose keys are also options
 * of msprof. An unknown key or a wrong value is an error, as in AscendCL. docs/ascend-config.md has
 * the table.
 */
#ifndef STROBE_CORE_ACL_CONFIG_H
#define STROBE_CORE_ACL_CONFIG_H

#include "config.h"

/* The only top-level key of an acl.json that Strobe reads. */
#define STROBE_ACL_KEY "profiler"

/* Reads the section STROBE_ACL_KEY of an acl.json into the configuration. */
gboolean strobe_acl_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                GError **error);

#endif
