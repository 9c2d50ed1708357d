/* SPDX-License-Identifier: Apache-2.0 */
/* A program that contains the static part of ITT, with its published layout. It makes domains and
 * strings before the collector is loaded, and the collector then sets their other members. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);

struct domain {
    volatile int32_t flags;
    const char *name;
    const void *wide;
    int32_t extra1;
    void *extra2;
    struct domain *next;
};
struct string {
    const char *text;
    const void *wide;
    int32_t extra1;
    void *extra2;
    struct string *next;
};
struct id {
    uint64_t d1, d2, d3;
};
struct api {
    const char *name;
    Function *function;
    Function init, nothing;
    uint32_t group;
};
/* The struct of the static part. In an older version it ends with the list of strings. */
struct global {
    unsigned char magic[8];
    unsigned long major, minor, build;
    long api_initialized, mutex_initialized, atomic_counter;
    char mutex[40];
    void *library, *error_handler;
    const char **dll_path;
    struct api *apis;
    struct global *next;
    void *threads, *domains, *strings;
};

static void do_nothing(void)
{
}

static void (*task_begin)(struct domain *, struct id, struct id, struct string *);
static void (*task_end)(struct domain *);
static void (*region_begin)(struct domain *, struct id, struct id, struct string *);
static void (*region_end)(struct domain *, struct id);
static void (*frame_begin)(struct domain *, struct id *);
static void (*frame_end)(struct domain *, struct id *);
static void (*frame_submit)(struct domain *, struct id *, uint64_t, uint64_t);
static uint64_t (*get_timestamp)(void);
static void (*marker)(struct domain *, struct id, struct string *, int);
static void (*metadata_add)(struct domain *, struct id, struct string *, int, size_t, void *);
static void *(*counter_create_typed)(const char *, const char *, int);
static void (*counter_set_value)(void *, void *);
static int (*event_create)(const char *, int);
static int (*event_start)(int);
static int (*event_end)(int);
static void (*pause_it)(void);
static void (*resume_it)(void);
static void (*sync_create)(void *);
static struct domain *(*domain_create)(const char *);

#define API(name, variable, group)                                                                 \
    {"__itt_" name, (Function *)&variable, do_nothing, do_nothing, group}

static struct api apis[] = {
    API("task_begin", task_begin, 4096),
    API("task_end", task_end, 4096),
    API("region_begin", region_begin, 4096),
    API("region_end", region_end, 4096),
    API("frame_begin_v3", frame_begin, 512),
    API("frame_end_v3", frame_end, 512),
    API("frame_submit_v3", frame_submit, 512),
    API("get_timestamp", get_timestamp, 4096),
    API("marker", marker, 4096),
    API("metadata_add", metadata_add, 4096),
    API("counter_create_typed", counter_create_typed, 256),
    API("counter_set_value", counter_set_value, 256),
    API("event_create", event_create, 9),
    API("event_start", event_start, 9),
    API("event_end", event_end, 9),
    API("pause", pause_it, 2),
    API("resume", resume_it, 2),
    API("sync_create", sync_create, 16),
    API("domain_create", domain_create, 4096),
    {NULL, NULL, NULL, NULL, 0},
};

static struct global global = {.magic = {0xed}, .major = 3, .apis = apis};
static struct domain render = {.flags = 1, .name = "render"};
static struct domain silent = {.flags = 0, .name = "silent"};
static const struct id none;

static int load_tool(void)
{
    const char *path = getenv("INTEL_LIBITTNOTIFY64");
    void *tool = path ? dlopen(path, RTLD_LAZY) : NULL;
    void (*function)(struct global *, uint32_t) =
        tool ? (void (*)(struct global *, uint32_t))dlsym(tool, "__itt_api_init") : NULL;

    if (!function)
        return 0;
    function(&global, UINT32_MAX);
    return 1;
}

static void *end_there(void *id)
{
    region_end(&render, *(struct id *)id);
    return NULL;
}

static void record_marks(void)
{
    struct string outer = {"outer"}, inner = {"inner"}, region = {"region"}, key = {"frames"};
    struct id id = {1, 2, 3};
    uint64_t begin = get_timestamp();
    int32_t n = 42;
    double value = 0.5;
    pthread_t thread;

    task_begin(&render, none, none, &outer);
    task_begin(&render, none, none, &inner);
    metadata_add(&render, none, &key, 4, 1, &n);
    task_end(&render);
    task_end(&render);
    task_end(&render);
    region_begin(&render, id, none, &region);
    pthread_create(&thread, NULL, end_there, &id);
    pthread_join(thread, NULL);
    frame_begin(&render, NULL);
    frame_end(&render, NULL);
    frame_submit(&render, NULL, begin, get_timestamp());
    marker(&render, none, &key, 1);
    task_begin(&silent, none, none, &outer);
    task_end(&silent);
    counter_set_value(counter_create_typed("rate", "render", 8), &value);
    int event = event_create("event name", 5);
    event_start(event);
    event_end(event);
    pause_it();
    task_begin(&render, none, none, &outer);
    task_end(&render);
    resume_it();
    sync_create(&id);
}

int main(void)
{
    if (!load_tool()) {
        puts("no tool");
        return 0;
    }
    struct domain *made = domain_create("made");
    printf("%d %d\n", made && made == domain_create("made") && made->flags,
           (Function)sync_create == do_nothing);
    record_marks();
    return 0;
}
