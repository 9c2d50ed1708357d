/* SPDX-License-Identifier: Apache-2.0 */
#include "aclprof-double.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

typedef struct Config {
    uint32_t devices[64], n;
    int metrics;
    uint64_t mask;
} Config;

int aclprofInit(const char *folder, size_t length);
int aclprofFinalize(void);
int aclprofSetConfig(int type, const char *text, size_t length);
Config *aclprofCreateConfig(uint32_t *devices, uint32_t n, int metrics, const void *events,
                            uint64_t mask);
int aclprofDestroyConfig(const Config *config);
int aclprofStart(const Config *config);
int aclprofStop(const Config *config);
void aclprof_double_launch(uint64_t begin, uint64_t end, uint64_t duration);
int aclprof_double_attempts(void);
int aclprof_double_block(int blocks);

enum { INVALID_CONFIG = 100010, ALREADY_RUN = 100042, NOT_RUN = 100043, NOT_INITIALISED = 100001 };

static struct {
    char folder[8192], prof[4200];
    Config *config; /* the configuration that aclprofCreateConfig has made */
    const Config *running;
    int is_initialised;
    int n_attempts;
} state;

/* ---- the log ---- */

static void log_call(const char *format, ...)
{
    const char *path = getenv("ACLPROF_DOUBLE_LOG");
    FILE *file = path ? fopen(path, "ae") : NULL;
    va_list arguments;

    if (!file)
        return;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

static int report_misuse(int code, const char *what)
{
    log_call("WRONG %s", what);
    return code;
}

/* ---- faults ---- */

static const char *find_option(const char *word)
{
    const char *at = getenv("ACLPROF_DOUBLE");

    at = at ? strstr(at, word) : NULL;
    return at ? at + strlen(word) : NULL;
}

static int read_failure(const char *call)
{
    const char *which = find_option("fail=");
    size_t length = strlen(call);

    if (!which || strncmp(which, call, length) != 0 || which[length] != ':')
        return 0;
    __atomic_add_fetch(&state.n_attempts, 1, __ATOMIC_RELAXED);
    return atoi(which + length + 1);
}

API int aclprof_double_attempts(void)
{
    return __atomic_load_n(&state.n_attempts, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void load(void)
{
    if (find_option("abort"))
        abort();
}

/* ---- before the start ---- */

static int is_acl_initialised(void)
{
    int (*reported)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "acl_double_is_initialised");

    return !reported || reported();
}

API int aclprofInit(const char *folder, size_t length)
{
    struct stat st;

    if (!is_acl_initialised())
        return NOT_INITIALISED;
    log_call("init %zu", length);
    if (read_failure("init"))
        return read_failure("init");
    if (state.is_initialised)
        return report_misuse(148047, "init twice");
    if (!folder || strlen(folder) != length || length == 0 || length > 4096)
        return report_misuse(INVALID_CONFIG, "the folder's length");
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return report_misuse(INVALID_CONFIG, "the folder is not there");
    snprintf(state.folder, sizeof state.folder, "%s", folder);
    state.is_initialised = 1;
    return 0;
}

static int is_rate(const char *text, long max)
{
    char *end;
    long rate = strtol(text, &end, 10);

    return *text && !*end && rate >= 1 && rate <= max;
}

static int is_list(const char *text, const char *words)
{
    char word[64];
    int n;

    for (const char *at = text;; at += n + 1) {
        if (sscanf(at, "%60[a-z]%n", word, &n) != 1 || !strstr(words, word) ||
            (at[n] && at[n] != ','))
            return 0;
        if (!at[n])
            return 1;
    }
}

static int is_valid(int type, const char *text)
{
    unsigned long long megabytes;
    char unit[3] = "";

    switch (type) {
    case 1:
        return sscanf(text, "%llu%2s", &megabytes, unit) == 2 && !strcmp(unit, "MB") &&
               megabytes >= 200 && megabytes <= 4294967295ull;
    case 3: /* Ascend 950 accepts more metrics */
        return is_rate(text, 100);
    case 4:
        return !strcmp(text, "read") || !strcmp(text, "write");
    case 5:
    case 7:
    case 11:
        return is_rate(text, 100);
    case 6:
    case 10:
    case 13:
        return is_rate(text, 50);
    case 8:
        return is_list(text, "cpu mem disk network osrt numa");
    case 9:
        return is_list(text, "cpu mem");
    default:
        return 0;
    }
}

API int aclprofSetConfig(int type, const char *text, size_t length)
{
    log_call("set %d %s", type, text);
    if (read_failure("set"))
        return read_failure("set");
    if (!state.is_initialised || state.running)
        return report_misuse(INVALID_CONFIG, "set out of order");
    if (strlen(text) != length || length > 256)
        return report_misuse(INVALID_CONFIG, "a text's length");
    return is_valid(type, text) ? 0 : report_misuse(INVALID_CONFIG, "a text");
}

/* The bits for the settings in the first half of the public header. Only aclprofSetConfig sets the
 * others. */
#define KNOWN_BITS UINT64_C(0xffff)
/* a bit that a library with the fault "old" does not know */
#define AICORE_SHAPE UINT64_C(0x800000000)

static const char *config_fault(const uint32_t *devices, uint32_t n, int metrics,
                                const void *events, uint64_t mask)
{
    if (!state.is_initialised || state.config)
        return "create out of order";
    if (events)
        return "events are not NULL";
    if (mask & ~(KNOWN_BITS | (find_option("old") ? 0 : AICORE_SHAPE)))
        return "a bit of the mask";
    if (!(mask & 0x4) && metrics != 0xFF)
        return "metrics without their bit";
    if ((mask & 0x4) && (metrics < 0 || metrics > (find_option("old") ? 7 : 8)))
        return "metrics";
    if (n > 64 || (n == 0 && mask != 0x80))
        return "the number of devices";
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (devices[i] == devices[k])
                return "a device twice";
    return NULL;
}

API Config *aclprofCreateConfig(uint32_t *devices, uint32_t n, int metrics, const void *events,
                                uint64_t mask)
{
    char text[512] = "";

    for (uint32_t i = 0; i < n && i < 64; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? "," : "", devices[i]);
    log_call("create %s %d 0x%llx", text, metrics, (unsigned long long)mask);
    if (read_failure("create"))
        return NULL;
    const char *fault = config_fault(devices, n, metrics, events, mask);
    if (fault) {
        report_misuse(0, fault);
        return NULL;
    }
    state.config = calloc(1, sizeof *state.config);
    memcpy(state.config->devices, devices, n * sizeof *devices);
    state.config->n = n;
    state.config->metrics = metrics;
    state.config->mask = mask;
    return state.config;
}

/* ---- the folder ---- */

static uint64_t now_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the time of CLOCK_REALTIME, and sets `raw` to that of CLOCK_MONOTONIC_RAW at the same
 * moment. Uses the shortest of several readings, because the process may be preempted between the
 * two clocks. */
static uint64_t read_clocks(uint64_t *raw)
{
    uint64_t best = 0, least = UINT64_MAX;

    for (int i = 0; i < 20; i++) {
        uint64_t before = now_ns(CLOCK_MONOTONIC_RAW);
        uint64_t real = now_ns(CLOCK_REALTIME);
        uint64_t width = now_ns(CLOCK_MONOTONIC_RAW) - before;
        if (width >= least)
            continue;
        least = width;
        best = real;
        *raw = before;
    }
    return best;
}

__attribute__((format(printf, 3, 4))) static void put(const char *folder, const char *name,
                                                      const char *format, ...)
{
    char path[sizeof state.prof + 64];
    va_list arguments;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s/%s", state.prof, folder, name);
    file = fopen(path, "ae");
    if (!file)
        return;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

static void make_data_folder(const char *folder)
{
    char path[sizeof state.prof + 64];

    snprintf(path, sizeof path, "%s/%s", state.prof, folder);
    mkdir(path, 0750);
    snprintf(path, sizeof path, "%s/%s/data", state.prof, folder);
    mkdir(path, 0750);
}

static void make_folder(const Config *config)
{
    const char *shift = find_option("shift=");
    uint64_t raw = 0, real = read_clocks(&raw);
    time_t seconds = (time_t)(real / 1000000000u);
    struct tm local;
    char stamp[32], device[32];

    localtime_r(&seconds, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d%H%M%S", &local);
    snprintf(state.prof, sizeof state.prof, "%.4000s/PROF_000001_%s%03d_%ldABCDEFGH", state.folder,
             stamp, (int)(real / 1000000 % 1000), (long)getpid());
    mkdir(state.prof, 0750);
    make_data_folder("host");
    put("host", "info.json",
        "{\"simulated\": true, \"pid\": %ld, \"begin\": %llu, \"CPU\": [{\"Frequency\": \"100\"}]}",
        (long)getpid(), (unsigned long long)real);
    if (!find_option("noclock"))
        put("host", "start_info",
            "{\"collectionTimeBegin\": \"%llu\", \"clockMonotonicRaw\": \"%llu\"}",
            (unsigned long long)(real / 1000 + (shift ? strtoull(shift, NULL, 10) : 0)),
            (unsigned long long)raw);
    for (uint32_t i = 0; i < config->n; i++) {
        snprintf(device, sizeof device, "device_%u", config->devices[i]);
        make_data_folder(device);
    }
}

API void aclprof_double_launch(uint64_t begin, uint64_t end, uint64_t duration)
{
    if (state.running && *state.prof)
        put("host/data", "simulated.launches", "%ld %ld %llu %llu %llu\n", (long)getpid(),
            (long)gettid(), (unsigned long long)begin, (unsigned long long)end,
            (unsigned long long)duration);
}

/* ---- start and stop ---- */

API int aclprofStart(const Config *config)
{
    log_call("start %s", config == state.config ? "same" : "other");
    if (read_failure("start"))
        return read_failure("start");
    if (!state.is_initialised || !config || config != state.config)
        return report_misuse(INVALID_CONFIG, "start out of order");
    if (state.running)
        return report_misuse(ALREADY_RUN, "start twice");
    state.running = config;
    *state.prof = 0;
    if (!find_option("nofolder"))
        make_folder(config);
    __atomic_add_fetch(&state.n_attempts, 1, __ATOMIC_RELAXED);
    return 0;
}

static int blocks, n_blocked;

API int aclprof_double_block(int wanted)
{
    __atomic_store_n(&blocks, wanted, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&n_blocked, __ATOMIC_SEQ_CST);
}

static void wait_while_blocked(void)
{
    __atomic_add_fetch(&n_blocked, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&blocks, __ATOMIC_SEQ_CST))
        usleep(1000);
    __atomic_sub_fetch(&n_blocked, 1, __ATOMIC_SEQ_CST);
}

API int aclprofStop(const Config *config)
{
    int (*synchronized)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "acl_double_synchronized");

    log_call("stop %s %d", config == state.running ? "same" : "other",
             synchronized ? synchronized() : 0);
    wait_while_blocked();
    if (read_failure("stop"))
        return read_failure("stop");
    if (!state.running)
        return report_misuse(NOT_RUN, "stop out of order");
    if (config != state.running)
        return report_misuse(INVALID_CONFIG, "stop with another configuration");
    state.running = NULL;
    return 0;
}

API int aclprofDestroyConfig(const Config *config)
{
    log_call("destroy %s", config == state.config ? "same" : "other");
    if (read_failure("destroy"))
        return read_failure("destroy");
    if (!config || config != state.config)
        return report_misuse(INVALID_CONFIG, "destroy out of order");
    free(state.config);
    state.config = NULL;
    return 0;
}

API int aclprofFinalize(void)
{
    log_call("finalize");
    if (read_failure("finalize"))
        return read_failure("finalize");
    if (!state.is_initialised || (state.running && !read_failure("stop")) ||
        (state.config && !read_failure("destroy")))
        return report_misuse(INVALID_CONFIG, "finalize out of order");
    state.is_initialised = 0;
    return 0;
}
