/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the acl.json that `strobe svp collect` sends to a board. */
#ifndef STROBE_TOOLS_BOARD_CONFIG_H
#define STROBE_TOOLS_BOARD_CONFIG_H

#include <glib.h>

/* Values on the command line for keys of the section "profiler"; NULL: not given. */
typedef struct StrobeBoardKeys {
    const char *interval, *acl_api, *aacpu, *is_on /* switch */, *aac_metrics;
} StrobeBoardKeys;

/* Whether each value in `keys` is one that its option allows. FALSE with an error that names the
 * option. */
gboolean strobe_board_keys_check(const StrobeBoardKeys *keys, GError **error);

/* Returns the text of an acl.json: the user's file at `path` (NULL: none), in which the keys that
 * `keys` gives and "output" are replaced. A key that neither the file nor `keys` has gets the
 * default of `collect`. Sets *is_on to whether the profiler is switched on. Free the text. NULL
 * with an error that names the file and the key. */
char *strobe_board_config_make(const char *path, const StrobeBoardKeys *keys, const char *output,
                               gboolean *is_on, GError **error);

#endif
