/* SPDX-License-Identifier: Apache-2.0 */
/* npu FOLDER [REPEATS]: measures how many records the thread of the collector npu_task makes in a
 * second of its own processor time, while the test double of MSPTI reports kernels, and the mean ns
 * in which MSPTI passes a buffer to the collector. The floor is the number of records of this size
 * whose bytes can be set in memory in a second. ASCEND_HOME_PATH names the folder of the test
 * double. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "../tests/mspti-double/mspti-double.h"
#include "measure.h"

#define KERNELS 500000
#define BUFFER_KERNELS 50000 /* number of kernels after which the writer gets time */
#define MEMORY_BYTES (256u << 20)
#define RECORD_BYTES (32 + sizeof(struct strobe_device_task))

int aclInit(void);

static MsptiDoubleKernels *play;
static MsptiDoubleGet *get;

static void find_double(void)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[4096];

    snprintf(path, sizeof path, "%s/lib64/libmspti.so", home ? home : "");
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        fail(path, "the collector has not loaded it");
    play = (MsptiDoubleKernels *)dlsym(library, "mspti_double_kernels");
    get = (MsptiDoubleGet *)dlsym(library, "mspti_double");
}

/* Returns the ns of processor time of the collector's thread; 0: no thread has this name yet. */
static double find_collector_time(void)
{
    char path[300], name[32];
    struct dirent *entry;
    DIR *folder = opendir("/proc/self/task");
    double used = 0;

    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "re");
        name[0] = '\0';
        if (file && !fgets(name, sizeof name, file))
            name[0] = '\0';
        if (file)
            fclose(file);
        if (strcmp(name, "strobe-npu\n") != 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = fopen(path, "re");
        if (!file || fscanf(file, "%lf", &used) != 1)
            fail(path, "cannot be read");
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return used;
}

static double collector_time(void)
{
    const struct timespec pause = {0, 1000000};
    double used = 0;

    /* Repeated, because the thread may have to wait for a processor. */
    for (int i = 0; i < 2000 && used == 0; i++) {
        if (i)
            nanosleep(&pause, NULL);
        used = find_collector_time();
    }
    if (used == 0)
        fail("strobe-npu", "there is no such thread");
    return used;
}

static double measure_kernels(uint64_t first)
{
    const struct timespec pause = {0, 15000000};
    struct timespec now;
    double begin = collector_time();

    for (uint64_t done = 0; done < KERNELS; done += BUFFER_KERNELS) {
        clock_gettime(CLOCK_REALTIME, &now);
        play(BUFFER_KERNELS, first + done,
             (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, 10);
        nanosleep(&pause, NULL);
    }
    return KERNELS / (collector_time() - begin) * 1e9;
}

static double fill_memory(char *memory)
{
    double begin = now_ns();

    memset(memory, (int)(size_t)begin & 255, MEMORY_BYTES);
    keep_value((uint64_t)memory[17]);
    return MEMORY_BYTES / (double)RECORD_BYTES / (now_ns() - begin) * 1e9;
}

int main(int argc, char **argv)
{
    static Samples own = {.name = "own"}, memory = {.name = "memory"},
                   hand_over = {.name = "hand_over"};
    long repeats = number_argument(argc, argv, 2, 8);
    char *region = malloc(MEMORY_BYTES);

    if (argc < 2 || !region)
        fail("usage", "npu FOLDER [REPEATS]");
    memset(region, 1, MEMORY_BYTES);
    aclInit();
    StrobeSession *session = session_begin_with(
        argv[1], "\"collectors\": {\"npu_task\": {\"activities\": [\"kernel\"]}}, "
                 /* With `block` the thread may wait for a busy disk, which takes none of its
                  * processor time. */
                 "\"buffer\": {\"size\": \"64MB\", \"policy\": \"block\"}");
    find_double();
    /* time for the thread to get its name */
    nanosleep(&(const struct timespec){0, 50000000}, NULL);
    measure_kernels(1); /* not measured: touches the pages */
    for (long i = 0; i < repeats; i++) {
        const MsptiDoubleState before = *get();
        samples_add(&own, measure_kernels(1 + (uint64_t)(i + 1) * KERNELS));
        samples_add(&hand_over, (double)(get()->handing_ns - before.handing_ns) /
                                    (double)(get()->n_handed - before.n_handed));
        samples_add(&memory, fill_memory(region));
    }
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    free(region);
    samples_print(&own);
    samples_print(&memory);
    samples_print(&hand_over);
    return 0;
}
