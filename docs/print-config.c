/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a configuration file as the core interprets it (without a file: the default), or why the
 * core refuses it. For docs/generate and its test. */
#include <stdio.h>

#include "config-file.h"

int main(int argc, char **argv)
{
    GError *error = NULL;
    StrobeConfig *config =
        argc > 1 ? strobe_config_load(argv[1], &error) : strobe_config_parse(NULL, NULL, &error);

    if (!config) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return 3;
    }
    strobe_config_add_defaults(config);
    char *text = strobe_config_to_json(config);
    puts(text);
    g_free(text);
    strobe_config_free(config);
    return 0;
}
