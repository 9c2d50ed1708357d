/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a configuration: Strobe's own (config.h), or the file of another profiler.
 *
 * The files of two other profilers are accepted, and recognised by their top-level keys: the Ascend
 * PyTorch Profiler's profiler_config.json (ascend-config.h) and AscendCL's acl.json (acl-config.h).
 * A file with keys of several formats is refused.
 */
#ifndef STROBE_CORE_CONFIG_FILE_H
#define STROBE_CORE_CONFIG_FILE_H

#include "config.h"

/* Parses a configuration; `text` NULL or "" gives the defaults. Messages name the text `origin`. */
StrobeConfig *strobe_config_parse(const char *text, const char *origin, GError **error);
StrobeConfig *strobe_config_load(const char *path, GError **error);

#endif
