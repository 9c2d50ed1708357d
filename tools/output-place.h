/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output folder of a result: the folder around ASCEND_PROFILER_OUTPUT, held open. It belongs
 * to this user, so no other user can put a link or a folder in it.
 */
#ifndef STROBE_TOOLS_OUTPUT_PLACE_H
#define STROBE_TOOLS_OUTPUT_PLACE_H

#include "held-result.h"

typedef struct StrobeOutputPlace {
    int around; /* the folder; -1: not open */
    int parent; /* its parent; -1: it is the result directory */
    char *name; /* in the parent */
    gboolean is_new;
} StrobeOutputPlace;

/* `output` is the path of the output folder. If `parent` is NULL and there is a result
 * directory, it is in that directory; otherwise the folder around it is made in `parent` (NULL:
 * the current folder). */
gboolean strobe_output_place_open(StrobeOutputPlace *place, const StrobeHeldResult *held,
                                  const char *parent, const char *output, GError **error);
/* Also removes the folder if it was created for this and stayed empty. */
void strobe_output_place_close(StrobeOutputPlace *place);

/* From now on a signal leaves the folder unchanged. */
void strobe_output_place_keep(StrobeOutputPlace *place);
/* Removes the output folder, and the folder around it if it is otherwise empty. */
void strobe_output_place_discard(StrobeOutputPlace *place);

/* The output folder, by a path through the open one (free it). */
char *strobe_output_place_path(const StrobeOutputPlace *place);

#endif
