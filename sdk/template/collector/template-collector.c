/* SPDX-License-Identifier: Apache-2.0 */
/* A template of a collector: samples page faults of the process at an interval, from another
 * process. */
#include <strobe/strobe-plugin.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1. The kind. The struct has the fields in the same order, with C's layout. */

struct faults {
    uint64_t minor;
    uint64_t major;
};

static const StrobeField faults_fields[] = {
    {"minor", STROBE_FIELD_U64, 0, "", "Page faults served without the disk, since the start."},
    {"major", STROBE_FIELD_U64, 0, "", "Page faults that read the disk, since the start."},
};

static const StrobeKind faults_kind =
    STROBE_KIND("template_collector.faults", COUNTER, faults_fields, "Page faults of the process.");

/* 2. The options. */

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "interval",
        .default_value = "100ms",
        .min = 1e6, /* ns */
        .max = 60e9,
        .summary = "Time between two samples.",
    },
};

/* 3. One opened instance. */

typedef struct Faults {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
    StrobeTrackId track;
    int64_t interval_ns;
    int stat; /* descriptor of /proc/PID/stat of the program, which is another process */
} Faults;

static void faults_close(void *state)
{
    Faults *faults = state;

    if (faults->stat >= 0)
        close(faults->stat);
    free(faults);
}

static int open_stat(const StrobeHost *host, StrobeInstance *self)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)host->pid(self));
    return open(path, O_RDONLY | O_CLOEXEC);
}

static StrobeStatus faults_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_COUNTER,
                               .clock = STROBE_CLOCK_HOST,
                               .device = -1,
                               .name = "page faults"};
    Faults *faults = calloc(1, sizeof *faults);
    StrobeStatus status;

    if (!faults)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__, "Out of memory");
    faults->host = host;
    faults->self = self;
    faults->interval_ns = host->option_int(self, "interval");
    faults->stat = open_stat(host, self);
    status = faults->stat >= 0 ? host->kind(self, &faults_kind, &faults->kind)
                               : host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                                            "Cannot open /proc/PID/stat");
    if (status) {
        faults_close(faults);
        return status; /* the host has reported the reason */
    }
    faults->track = host->track(self, &track);
    *state = faults;
    return STROBE_OK;
}

static StrobeStatus faults_start(void *state)
{
    (void)state;
    return STROBE_OK;
}

static StrobeStatus faults_stop(void *state)
{
    (void)state;
    return STROBE_OK;
}

static int64_t faults_sample_interval(void *state)
{
    return ((Faults *)state)->interval_ns;
}

/* Reads the 10th and the 12th word. The second word, a name in parentheses, may contain blanks. */
static int read_faults(const Faults *faults, unsigned long long *minor, unsigned long long *major)
{
    char text[1024];
    ssize_t n = pread(faults->stat, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end &&
           sscanf(name_end + 1, " %*c %*s %*s %*s %*s %*s %*s %llu %*s %llu", minor, major) == 2;
}

/* The core's sampler thread calls this function. writer, reserve and commit take no lock and
 * allocate no memory. */
static void faults_sample(void *state)
{
    const Faults *faults = state;
    StrobeWriter *writer = faults->host->writer(faults->self);
    unsigned long long minor, major;
    struct faults *fields;

    if (!writer || !read_faults(faults, &minor, &major))
        return;
    fields = faults->host->reserve(writer, faults->kind, faults->track, 0, faults->host->now(), 0);
    if (!fields)
        return; /* the host has counted the record as lost */
    fields->minor = minor;
    fields->major = major;
    faults->host->commit(writer);
}

static const StrobeCollectorOps ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = faults_open,
    .start = faults_start,
    .stop = faults_stop,
    .close = faults_close,
    .sample = faults_sample,
    .sample_interval = faults_sample_interval,
};

/* 4. The components of the file. */

static const StrobeKind *const kinds[] = {&faults_kind};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .n_options = sizeof options / sizeof options[0],
    .name = "template_collector",
    .summary = "Page faults of the process.",
    .options = options,
    .kinds = kinds,
    .n_kinds = 1,
    .ops = &ops,
};

STROBE_PLUGIN(component, .name = "template_collector", .version = "1.0.0",
              .summary = "A collector to copy.", .license = "Apache-2.0", .vendor = "Example");
