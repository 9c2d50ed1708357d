/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of paths of functions as SVG. */
#ifndef STROBE_FLAMEGRAPH_PICTURE_H
#define STROBE_FLAMEGRAPH_PICTURE_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct FlamePath {
    StrobeStringId *frames; /* outermost first */
    guint n_frames;
    gint64 value; /* ns, B */
} FlamePath;

/* How values are shown: divided by `scale`. */
typedef struct FlameUnit {
    const char *name;
    double scale;
} FlameUnit;

typedef StrobeText (*FlameText)(void *user, StrobeStringId id);

/* Puts the paths in order: those that begin alike stand together. */
void flame_paths_sort(GPtrArray *paths, FlameText text, void *user);

/* The picture of paths (FlamePath) in that order. Frames narrower than a tenth of a pixel are left
 * out. */
GString *flame_picture(const GPtrArray *paths, const char *title, const FlameUnit *unit,
                       FlameText text, void *user);

#endif
