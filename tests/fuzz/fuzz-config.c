/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a configuration. An accepted one must be the same after it was written and parsed
 * again. */
#include <stdlib.h>
#include <string.h>
#include "config-file.h"
#include "error.h"
#include "fuzz.h"

const char fuzz_target[] = "config";

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    g_autofree char *text = g_strndup((const char *)bytes, n);
    g_autoptr(GError) error = NULL;
    StrobeConfig *config = strobe_config_parse(text, "fuzz", &error);

    if (!config) {
        FUZZ_REQUIRE(error && error->message[0]);
        return 0;
    }
    FUZZ_REQUIRE(!error);
    g_autofree char *once = strobe_config_to_json(config);
    StrobeConfig *again = strobe_config_parse(once, "itself", &error);
    FUZZ_REQUIRE(again);
    g_autofree char *twice = strobe_config_to_json(again);
    FUZZ_REQUIRE(strcmp(once, twice) == 0);
    strobe_config_free(again);
    strobe_config_add_defaults(config);
    strobe_config_free(config);
    return 0;
}
