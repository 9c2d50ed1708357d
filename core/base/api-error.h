/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a GError to the public API's StrobeError. */
#ifndef STROBE_CORE_API_ERROR_H
#define STROBE_CORE_API_ERROR_H

#include <glib.h>
#include <strobe/strobe.h>

/* Returns the status of `failure` (NULL: OK). Passes `failure` to *error, or frees it if `error` is
 * NULL. */
StrobeStatus strobe_api_result(GError *failure, StrobeError **error);

#endif
