/* SPDX-License-Identifier: Apache-2.0 */
/* marked-program STEPS [THREADS]: makes marks in STEPS steps. Its threads run one after the
 * other. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <strobe/strobe.h>

static void *record_mark(void *user)
{
    strobe_mark("short");
    return user;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 0;
    int threads = argc > 2 ? atoi(argv[2]) : 0;
    char name[32];

    for (int i = 0; i < steps; i++) {
        StrobeRange outer = strobe_range_begin("outer");
        StrobeRange inner = strobe_range_begin_argument("inner", (uint64_t)i);
        snprintf(name, sizeof name, "mark %d", i);
        strobe_mark(name);
        strobe_counter("loss", 1.0 / (1 + i));
        strobe_range_end(inner);
        strobe_range_end(outer);
        strobe_step();
    }
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, record_mark, NULL))
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}
