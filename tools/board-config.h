/* SPDX-License-Identifier: Apache-2.0 */
/* The acl.json that goes to a board. */
#ifndef STROBE_TOOLS_BOARD_CONFIG_H
#define STROBE_TOOLS_BOARD_CONFIG_H

#include <glib.h>

/* Keys of the section "profiler" that the command line names; NULL: not named. */
typedef struct StrobeBoardKeys {
    const char *interval, *acl_api, *aacpu, *is_on /* switch */, *aac_metrics;
} StrobeBoardKeys;

/* Checks the values. The error names the option. */
gboolean strobe_board_keys_check(const StrobeBoardKeys *keys, GError **error);

/* The text of the user's file (NULL: none) with these keys and this output; a key that neither
 * names has collect's default. `is_on`: the profiler is switched on. Free it; NULL: the error,
 * which names file and key. */
char *strobe_board_config_make(const char *path, const StrobeBoardKeys *keys, const char *output,
                               gboolean *is_on, GError **error);

#endif
