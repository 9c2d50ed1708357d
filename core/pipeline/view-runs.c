/* SPDX-License-Identifier: Apache-2.0 */
#include "view-runs.h"

static guint16 place_of(StrobeViewRuns *runs, const StrobeKindView *kind)
{
    guint16 *slot =
        &runs->slots[((uintptr_t)kind >> 4) * 0x9e3779b1u >> 8 & (STROBE_RUN_SLOTS - 1)];

    if (*slot < runs->n_kinds && runs->kinds[*slot] == kind)
        return *slot;
    for (guint i = 0; i < runs->n_kinds; i++)
        if (runs->kinds[i] == kind)
            return *slot = (guint16)i;
    runs->kinds[runs->n_kinds] = kind;
    runs->n_of[runs->n_kinds] = 0;
    return *slot = (guint16)runs->n_kinds++;
}

void strobe_view_runs_find(StrobeViewRuns *runs, const StrobeView *views, guint n)
{
    const StrobeKindView *last = NULL;

    runs->views = views;
    runs->n = n;
    runs->n_kinds = runs->n_runs = 0;
    for (guint i = 0; i < n; i++) {
        if (views[i].kind != last) {
            last = views[i].kind;
            runs->runs[runs->n_runs].kind = place_of(runs, last);
            runs->runs[runs->n_runs++].n = 0;
        }
        runs->runs[runs->n_runs - 1].n++;
    }
    for (guint i = 0; i < runs->n_runs; i++)
        runs->n_of[runs->runs[i].kind] =
            (guint16)(runs->n_of[runs->runs[i].kind] + runs->runs[i].n);
}
