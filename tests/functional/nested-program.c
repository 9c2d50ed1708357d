/* SPDX-License-Identifier: Apache-2.0 */
/* nested-program DEPTH: runs three steps; in the second step DEPTH ranges are nested. Long
 * pauses separate these ranges from the other steps. */
#include <stdlib.h>
#include <unistd.h>

#include <strobe/strobe.h>

#define PAUSE_US 200000

static void nest_ranges(int depth)
{
    StrobeRange range;

    if (depth == 0)
        return;
    range = strobe_range_begin("nested");
    nest_ranges(depth - 1);
    strobe_range_end(range);
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 0;

    for (int step = 0; step < 3; step++) {
        strobe_mark("quiet");
        usleep(PAUSE_US);
        if (step == 1)
            nest_ranges(depth);
        usleep(PAUSE_US);
        strobe_step();
    }
    return 0;
}
