/* SPDX-License-Identifier: Apache-2.0 */
#include "api-error.h"

#include "error.h"

/* Returns the GError that a StrobeError is; the public API hides its type and GLib. */
static const GError *get_inner_error(const StrobeError *error)
{
    return (const GError *)(const void *)error;
}

StrobeStatus strobe_api_result(GError *failure, StrobeError **error)
{
    StrobeStatus status = strobe_status_of(failure);

    if (error)
        *error = (StrobeError *)(void *)failure;
    else
        g_clear_error(&failure);
    return status;
}

const char *strobe_error_message(const StrobeError *error)
{
    return error ? get_inner_error(error)->message : "";
}

StrobeStatus strobe_error_status(const StrobeError *error)
{
    return strobe_status_of(get_inner_error(error));
}

void strobe_error_free(StrobeError *error)
{
    if (error)
        g_error_free((GError *)(void *)error);
}
