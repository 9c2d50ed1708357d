/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the files of a result go: the folder around ASCEND_PROFILER_OUTPUT, held open. It belongs
 * to this user, so that nobody else can put a link or a folder of theirs in it.
 */
#ifndef STROBE_TOOLS_OUTPUT_PLACE_H
#define STROBE_TOOLS_OUTPUT_PLACE_H

#include "held-result.h"

typedef struct StrobeOutputPlace {
    int around; /* the folder; -1: not open */
    int parent; /* the one that it is in; -1: it is the result directory */
    char *name; /* in the parent */
    gboolean is_new;
} StrobeOutputPlace;

/* `output` is the path of the output folder. It lies in the result directory if `parent` is NULL
 * and there is one; else the folder around it is made in `parent` (NULL: the current folder). */
gboolean strobe_output_place_open(StrobeOutputPlace *place, const StrobeHeldResult *held,
                                  const char *parent, const char *output, GError **error);
/* Removes the folder too if it was made for this and stayed empty. */
void strobe_output_place_close(StrobeOutputPlace *place);

/* From now on an interruption leaves the folder as it is. */
void strobe_output_place_keep(StrobeOutputPlace *place);
/* Removes the output folder, and the folder around it if nothing else is in there. */
void strobe_output_place_discard(StrobeOutputPlace *place);

/* The output folder, by a path through the open one (free it). */
char *strobe_output_place_path(const StrobeOutputPlace *place);

#endif
