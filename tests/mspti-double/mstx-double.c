/* SPDX-License-Identifier: Apache-2.0 */
/* The double of CANN's own mstx tool. Each mark gets an id, and the double of MSPTI reports it on
 * the host and, if it has a stream, a little later on device 0. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mspti-double.h"

#define MARKS_MAX 1024u
#define DEVICE_LAG_NS 1500 /* time from a mark on the host to the mark on the device */

typedef void (*Function)(void);
typedef int (*GetTable)(int module, Function ***table, unsigned *size);

__attribute__((visibility("default"))) int InitInjectionMstx(GetTable get_table);

static uint64_t last_id;
static uintptr_t streams[MARKS_MAX]; /* the streams of open ranges, by the range's id */

enum { INSTANT = 1, START = 2, END = 4, WITH_DEVICE = 8 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void report_marker(int flag, uint64_t id, const char *message, uintptr_t stream)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char text[4096];

    snprintf(text, sizeof text, "%s/lib64/libmspti.so", home ? home : "");
    void *library = dlopen(text, RTLD_NOW | RTLD_NOLOAD);
    MsptiDoublePlay *play = library ? (MsptiDoublePlay *)dlsym(library, "mspti_double_play") : NULL;
    if (!play)
        return;
    flag *= stream ? WITH_DEVICE : 1;
    snprintf(text, sizeof text, "marker %d 0 %llu %d %d %s default 0", flag, (unsigned long long)id,
             (int)getpid(), (int)gettid(), message);
    play(text, now_ns());
    snprintf(text, sizeof text, "marker %d 1 %llu 0 %u - - %d", flag, (unsigned long long)id,
             (unsigned)stream, DEVICE_LAG_NS);
    if (stream)
        play(text, now_ns());
}

static void report_mark(const char *message, void *stream)
{
    report_marker(INSTANT, ++last_id, message, (uintptr_t)stream);
}

static uint64_t range_start(const char *message, void *stream)
{
    streams[++last_id % MARKS_MAX] = (uintptr_t)stream;
    report_marker(START, last_id, message, (uintptr_t)stream);
    return last_id;
}

static void range_end(uint64_t id)
{
    report_marker(END, id, "-", streams[id % MARKS_MAX]);
}

int InitInjectionMstx(GetTable get_table)
{
    static const Function functions[] = {NULL, (Function)report_mark, (Function)range_start,
                                         (Function)range_end};
    Function **table = NULL;
    unsigned size = 0;

    if (get_table(1, &table, &size) != 0 || size < 4)
        return 1;
    for (unsigned i = 1; i < 4; i++)
        *table[i] = functions[i];
    return 0;
}
