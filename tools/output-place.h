/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that contains the output folder (ASCEND_PROFILER_OUTPUT) of a result. The containing
 * folder stays open during the analysis. It belongs to this user, so no other user can put a link
 * or a folder in it. */
#ifndef STROBE_TOOLS_OUTPUT_PLACE_H
#define STROBE_TOOLS_OUTPUT_PLACE_H

#include "held-result.h"

typedef struct StrobeOutputPlace {
    int around; /* descriptor of the folder; -1: not open */
    int parent; /* descriptor of its parent; -1: the folder is the result directory */
    char *name; /* name of the folder in its parent */
    gboolean is_new;
} StrobeOutputPlace;

/* Opens the folder around the output folder, whose path is `output`. If `parent` is NULL and `held`
 * has a result directory, this is the result directory. Otherwise it is a folder in `parent` (NULL:
 * the current folder), and is made if necessary. */
gboolean strobe_output_place_open(StrobeOutputPlace *place, const StrobeHeldResult *held,
                                  const char *parent, const char *output, GError **error);
/* Closes the folder. Removes it if it was created here and stayed empty. */
void strobe_output_place_close(StrobeOutputPlace *place);

/* From now on a signal does not remove the folder. */
void strobe_output_place_keep(StrobeOutputPlace *place);
/* Removes the output folder, and the folder around it if it is otherwise empty. */
void strobe_output_place_discard(StrobeOutputPlace *place);

/* Returns a path of the output folder through the descriptor `around` (free it). */
char *strobe_output_place_path(const StrobeOutputPlace *place);

#endif
