/* SPDX-License-Identifier: Apache-2.0 */
#include "show-scale.h"

#include <math.h>
#include <string.h>

#include "terminal.h"

#define LARGEST 9e18 /* just below the largest integer of 64 bits */

static const struct {
    const char *name;
    double times; /* number of ns or bytes in the unit */
    gboolean is_time;
} units[] = {
    {"ns", 1, TRUE}, {"us", 1e3, TRUE},   {"ms", 1e6, TRUE},      {"s", 1e9, TRUE},
    {"B", 1, FALSE}, {"KB", 1024, FALSE}, {"MB", 1 << 20, FALSE}, {"GB", 1 << 30, FALSE},
};

static int find_unit(const char *name)
{
    for (gsize i = 0; name && i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, name) == 0)
            return (int)i;
    return -1;
}

gboolean strobe_scale_has_unit(const char *unit)
{
    return find_unit(unit) >= 0;
}

char *strobe_scale_text(double value, const char *unit)
{
    const int index = find_unit(unit);

    if (index < 0)
        return NULL;
    value *= units[index].times;
    if (!(fabs(value) < LARGEST))
        return g_strdup_printf("%g %s", value / units[index].times, unit);
    if (units[index].is_time)
        return strobe_text_duration((gint64)round(value));
    g_autofree char *size = strobe_text_bytes((guint64)round(fabs(value)));
    return g_strconcat(value < 0 ? "-" : "", size, NULL);
}

char *strobe_scale_title(const char *title)
{
    for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
        g_autofree char *word = g_strconcat(" ", units[i].name, NULL);
        g_autofree char *bracket = g_strdup_printf("(%s)", units[i].name);
        const char *end = g_str_has_suffix(title, word)      ? word
                          : g_str_has_suffix(title, bracket) ? bracket
                                                             : NULL;
        if (end)
            return g_strndup(title, strlen(title) - strlen(end));
    }
    return g_strdup(title);
}
