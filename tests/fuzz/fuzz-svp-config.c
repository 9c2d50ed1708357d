/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a board's acl.json. The copy for the vendor's runtime must be valid if the file is,
 * and have the same content except for the switch, which is off. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "svp-config.h"

const char fuzz_target[] = "svp-config";

static void count_warning(void *user, const char *key, const char *why)
{
    FUZZ_REQUIRE(key && why && *why);
    ++*(guint *)user;
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    const gsize size = n + 64;
    g_autofree char *copy = g_malloc(size);
    g_autofree SvpConfig *config = g_new(SvpConfig, 1);
    g_autofree SvpConfig *again = g_new(SvpConfig, 1);
    guint n_reported = 0;
    int good = svp_config_read(config, (const char *)bytes, n, count_warning, &n_reported);

    FUZZ_REQUIRE(good || (n_reported && !config->is_on));
    FUZZ_REQUIRE(config->interval <= G_MAXINT32);
    FUZZ_REQUIRE(memchr(config->output, 0, sizeof config->output));
    svp_config_is_board((const char *)bytes, n);
    gsize length = svp_config_switch_off((const char *)bytes, n, copy, size);
    if (!good)
        return 0;
    FUZZ_REQUIRE(svp_config_read(again, copy, length, count_warning, &n_reported));
    FUZZ_REQUIRE(!again->is_on);
    again->is_on = config->is_on;
    FUZZ_REQUIRE(again->aacpu == config->aacpu && again->acl_api == config->acl_api &&
                 again->interval == config->interval && again->dumps == config->dumps &&
                 strcmp(again->output, config->output) == 0);
    return 0;
}
