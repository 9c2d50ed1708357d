/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <gio/gio.h>
#include <string.h>

GQuark strobe_error_quark(void)
{
    return g_quark_from_static_string("strobe-error");
}

StrobeStatus strobe_status_of(const GError *error)
{
    if (!error)
        return STROBE_OK;
    if (error->domain == STROBE_ERROR)
        return error->code;
    if (error->domain == G_FILE_ERROR || error->domain == G_IO_ERROR)
        return STROBE_ERROR_IO;
    return STROBE_ERROR_FAILED;
}

int strobe_exit_code(const GError *error)
{
    switch (strobe_status_of(error)) {
    case STROBE_OK:
        return 0;
    case STROBE_ERROR_CONFIG:
    case STROBE_ERROR_ARGUMENT:
        return 3;
    case STROBE_ERROR_PLUGIN:
    case STROBE_ERROR_ABI:
        return 4;
    case STROBE_ERROR_INPUT:
        return 5;
    case STROBE_ERROR_IO:
        return 6;
    default:
        return 1;
    }
}

/* Returns the number of edits that turn `a` into `b`; an exchange of two neighbouring letters is
 * one edit. Returns a number too large for a match if a name is long. */
static guint count_edits(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    guint d[LONGEST + 1][LONGEST + 1];
    gsize n = strlen(a), m = strlen(b);

    if (n > LONGEST || m > LONGEST)
        return G_MAXUINT;
    for (gsize i = 0; i <= n; i++)
        d[i][0] = (guint)i;
    for (gsize j = 0; j <= m; j++)
        d[0][j] = (guint)j;
    for (gsize i = 1; i <= n; i++)
        for (gsize j = 1; j <= m; j++) {
            guint cost = a[i - 1] != b[j - 1];
            guint best = MIN(d[i - 1][j] + 1, d[i][j - 1] + 1);
            best = MIN(best, d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = MIN(best, d[i - 2][j - 2] + 1);
            d[i][j] = best;
        }
    return d[n][m];
}

char *strobe_nearest_hint(const char *name, const char *const *candidates)
{
    const char *best = NULL;
    guint best_distance = (guint)MAX(2, strlen(name) / 3) + 1;

    for (; candidates && *candidates; candidates++) {
        guint d = count_edits(name, *candidates);
        /* If every letter must be edited, the names have nothing in common. */
        if (d < best_distance && d < MAX(strlen(name), strlen(*candidates))) {
            best_distance = d;
            best = *candidates;
        }
    }
    return best ? g_strdup_printf(", did you mean \"%s\"?", best) : g_strdup("");
}
