/* SPDX-License-Identifier: Apache-2.0 */
#include "component-call.h"

#define DEEP 16u /* calls that are nested deeper are only counted */

static _Thread_local struct {
    StrobeComponentCall calls[DEEP];
    unsigned n;
} present;

void strobe_component_call_begin(const StrobeComponent *component, const char *call)
{
    if (present.n < DEEP)
        present.calls[present.n] = (StrobeComponentCall){component, call};
    present.n++;
}

void strobe_component_call_end(void)
{
    present.n--;
}

const StrobeComponentCall *strobe_component_call_present(void)
{
    unsigned n = present.n < DEEP ? present.n : DEEP;

    return n ? &present.calls[n - 1] : 0;
}
