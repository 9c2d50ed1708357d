/* SPDX-License-Identifier: Apache-2.0 */
/* The input is the ini file of a board. An accepted file must have all values for a connection, and
 * its password must be an unchanged part of the file. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "target.h"

const char fuzz_target[] = "board-target";

static void check_warning(void *user, const char *text)
{
    FUZZ_REQUIRE(text && g_str_has_prefix(text, "board.ini: line "));
    ++*(guint *)user;
}

static gboolean is_plain(const char *text)
{
    if (text && !g_utf8_validate(text, -1, NULL))
        return FALSE;
    for (; text && *text; text++)
        if ((guchar)*text < ' ' || *text == 0x7f)
            return FALSE;
    return TRUE;
}

static void check_target(const StrobeTarget *target, const guint8 *bytes, gsize n)
{
    FUZZ_REQUIRE(target->host && *target->host && target->host[0] != '-');
    FUZZ_REQUIRE(!strpbrk(target->host, " '\"\\/@"));
    FUZZ_REQUIRE(target->user && *target->user && target->port);
    FUZZ_REQUIRE(target->keepalive_s >= 1 && target->keepalive_s <= 3600);
    FUZZ_REQUIRE(!(target->password && target->password_command));
    FUZZ_REQUIRE(target->password || target->password_command || target->identity);
    FUZZ_REQUIRE(is_plain(target->host) && is_plain(target->user) && is_plain(target->password) &&
                 is_plain(target->password_command) && is_plain(target->identity) &&
                 is_plain(target->known_hosts));
    if (target->password)
        FUZZ_REQUIRE(memmem(bytes, n, target->password, strlen(target->password)));
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    GError *error = NULL;
    guint n_warnings = 0;
    g_autoptr(StrobeTarget) target = strobe_target_parse((const char *)bytes, n, "board.ini",
                                                         check_warning, &n_warnings, &error);

    FUZZ_REQUIRE(!target == !!error);
    if (target) {
        check_target(target, bytes, n);
        return 0;
    }
    FUZZ_REQUIRE(g_str_has_prefix(error->message, "board.ini: "));
    FUZZ_REQUIRE(strlen(error->message) < 400);
    g_error_free(error);
    return 0;
}
