/* SPDX-License-Identifier: Apache-2.0 */
/* GError to the public API's StrobeError. */
#ifndef STROBE_CORE_API_ERROR_H
#define STROBE_CORE_API_ERROR_H

#include <glib.h>
#include <strobe/strobe.h>

/* Status of `failure` (NULL: OK); hands it to *error, or frees it where `error` is NULL. */
StrobeStatus strobe_api_result(GError *failure, StrobeError **error);

#endif
