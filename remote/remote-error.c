/* SPDX-License-Identifier: Apache-2.0 */
#include "remote-error.h"

#include <stdarg.h>
#include <string.h>

#define EXCERPT_MAX 400

GQuark strobe_remote_error_quark(void)
{
    return g_quark_from_static_string("strobe-remote-error");
}

gboolean strobe_remote_refuse(GError **error, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    if (error)
        *error =
            g_error_new_valist(STROBE_REMOTE_ERROR, STROBE_REMOTE_ERROR_UNREACHED, format, values);
    va_end(values);
    return FALSE;
}

char *strobe_remote_excerpt(const char *bytes, gsize length)
{
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)MIN(length, EXCERPT_MAX));
    GString *shown = g_string_new(NULL);

    for (const char *c = g_strstrip(text); *c; c = g_utf8_next_char(c)) {
        const gunichar point = g_utf8_get_char(c);

        if (point == '\n' || point == '\t')
            g_string_append_c(shown, ' ');
        else if (g_unichar_isprint(point))
            g_string_append_unichar(shown, point);
        else
            g_string_append_printf(shown, "\\x%02x", point);
    }
    return g_string_free(shown, FALSE);
}
