/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AscendCL's acl.json as a configuration: its object "profiler", whose keys are msprof's too. As
 * AscendCL does, an unknown key or a wrong value is refused. docs/ascend-config.md has the table.
 */
#ifndef STROBE_CORE_ACL_CONFIG_H
#define STROBE_CORE_ACL_CONFIG_H

#include "config.h"

/* The top-level key by which a file is of this kind; other sections of it are not Strobe's. */
#define STROBE_ACL_KEY "profiler"

/* Reads the section into the configuration. */
gboolean strobe_acl_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                GError **error);

#endif
