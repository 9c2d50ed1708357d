/* SPDX-License-Identifier: Apache-2.0 */
/* Draws call paths as a flame graph in SVG. */
#ifndef STROBE_FLAMEGRAPH_PICTURE_H
#define STROBE_FLAMEGRAPH_PICTURE_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct FlamePath {
    StrobeStringId *frames; /* outermost first */
    guint n_frames;
    gint64 value; /* time in ns or size in B */
} FlamePath;

/* The unit in which values are shown. The shown number is the value divided by `scale`. */
typedef struct FlameUnit {
    const char *name;
    double scale;
} FlameUnit;

typedef StrobeText (*FlameText)(void *user, StrobeStringId id);

/* Sorts the paths, so that paths with the same outer frames are neighbours. */
void flame_paths_sort(GPtrArray *paths, FlameText text, void *user);

/* Draws paths (FlamePath) that flame_paths_sort has sorted. Omits frames that are narrower than a
 * tenth of a pixel. */
GString *flame_picture(const GPtrArray *paths, const char *title, const FlameUnit *unit,
                       FlameText text, void *user);

#endif
