/* SPDX-License-Identifier: Apache-2.0 */
/* Draws call paths as an SVG picture. */
#ifndef STROBE_FLAMEGRAPH_PICTURE_H
#define STROBE_FLAMEGRAPH_PICTURE_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct FlamePath {
    StrobeStringId *frames; /* outermost first */
    guint n_frames;
    gint64 value; /* time in ns or size in B */
} FlamePath;

/* The unit in which values are shown; a value is divided by `scale`. */
typedef struct FlameUnit {
    const char *name;
    double scale;
} FlameUnit;

typedef StrobeText (*FlameText)(void *user, StrobeStringId id);

/* Sorts the paths, so that paths with the same outer frames are neighbours. */
void flame_paths_sort(GPtrArray *paths, FlameText text, void *user);

/* Draws sorted paths (FlamePath). Frames narrower than a tenth of a pixel are left out. */
GString *flame_picture(const GPtrArray *paths, const char *title, const FlameUnit *unit,
                       FlameText text, void *user);

#endif
