/* SPDX-License-Identifier: Apache-2.0 */
#include "raw-clock.h"

#include <math.h>

void raw_clock_set_frequency(RawClock *clock, double mhz)
{
    clock->mhz = mhz;
    clock->whole_ns = 0;
    if (mhz >= 1 && mhz <= 1000 && mhz == floor(mhz) && 1000 % (gint64)mhz == 0)
        clock->whole_ns = 1000 / (gint64)mhz;
}

gint64 raw_clock_count_ns(const RawClock *clock, gint64 raw)
{
    __int128 counts = (__int128)raw - clock->start_count;
    double ns = clock->whole_ns ? (double)(counts * clock->whole_ns)
                                : (double)((long double)counts * 1000 / (long double)clock->mhz);

    if (!(fabs(ns) < 4e18))
        return ns > 0 ? G_MAXINT64 / 2 : G_MININT64 / 2;
    return (gint64)ns + clock->start_ns;
}
