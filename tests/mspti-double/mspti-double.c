/* SPDX-License-Identifier: Apache-2.0 */
#include "mspti-double.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define THREADS_MAX 4096
#define LATE_MAX 65536

typedef void Request(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void Complete(uint8_t *buffer, size_t size, size_t valid);

MsptiDoubleState *mspti_double(void);
int mspti_double_play(const char *line, uint64_t base);
void mspti_double_kernels(uint64_t n, uint64_t first, uint64_t base, uint64_t step_ns);
int msptiSubscribe(void **out, void *callback, void *user);
int msptiUnsubscribe(void *handle);
int msptiActivityRegisterCallbacks(Request *request, Complete *complete);
int msptiActivityEnable(int kind);
int msptiActivityDisable(int kind);
int msptiActivityFlushAll(uint32_t flag);
int msptiActivityFlushPeriod(uint32_t ms);

static MsptiDoubleState state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* as the library's: round callbacks too */
static Request *request_buffer;
static Complete *complete_buffer;
static struct {
    uint8_t *bytes;
    size_t size, used;
} current;
static pthread_t threads[THREADS_MAX];
static int n_threads;

/* Sizes of records, by kind. */
static const size_t sizes[] = {0, 56, 56, 48, 56, 64, 56, 56, 24, 72, 48, 48, 48};

API MsptiDoubleState *mspti_double(void)
{
    return &state;
}

/* ---- how it goes wrong ---- */

/* What follows the word, "" if nothing does; NULL: the word is not there. */
static const char *wrong(const char *word)
{
    const char *at = getenv("MSPTI_DOUBLE");
    size_t length = strlen(word);

    while (at && *at) {
        if (strncmp(at, word, length) == 0 &&
            (at[length] == ',' || !at[length] || at[length] == '='))
            return at[length] == '=' ? at + length + 1 : "";
        at = strchr(at, ',');
        at += at != NULL;
    }
    return NULL;
}

static int fails(const char *call)
{
    const char *which = wrong("fail");
    size_t length = strlen(call);

    return which && strncmp(which, call, length) == 0 && which[length] == ':'
               ? atoi(which + length + 1)
               : 0;
}

__attribute__((constructor)) static void load(void)
{
    if (wrong("abort"))
        abort();
}

static uint64_t now_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void rest(int ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

/* ---- buffers ---- */

typedef struct Handed {
    uint8_t *bytes;
    size_t size, valid;
} Handed;

static void hand_over(const Handed *handed)
{
    static _Alignas(8) uint8_t own[65536];
    uint64_t begin = now_ns(CLOCK_MONOTONIC);

    if (wrong("oversize"))
        complete_buffer(handed->bytes, handed->size * 2, handed->size * 2);
    else
        complete_buffer(handed->bytes, handed->size, handed->valid);
    uint64_t took = now_ns(CLOCK_MONOTONIC) - begin;
    __atomic_add_fetch(&state.handing_ns, took, __ATOMIC_RELAXED);
    if (took > __atomic_load_n(&state.slowest_ns, __ATOMIC_RELAXED))
        __atomic_store_n(&state.slowest_ns, took, __ATOMIC_RELAXED);
    if (wrong("twice"))
        complete_buffer(handed->bytes, handed->size, handed->valid);
    if (wrong("foreign"))
        complete_buffer(own, sizeof own, sizeof own);
    __atomic_add_fetch(&state.n_handed, 1, __ATOMIC_RELAXED);
}

static void *hand_over_alone(void *user)
{
    hand_over(user);
    free(user);
    return NULL;
}

/* What is behind the last record of a buffer where an unknown kind is to be met. */
static void add_unknown(void)
{
    const uint32_t kind = 77;

    if (!wrong("unknown") || current.used + 64 > current.size)
        return;
    memset(current.bytes + current.used, 0xee, 64);
    memcpy(current.bytes + current.used, &kind, 4);
    current.used += 64;
}

static void retire(int in_thread)
{
    Handed handed;

    add_unknown();
    handed = (Handed){current.bytes, current.size, current.used};
    current.bytes = NULL;
    if (!in_thread || n_threads == THREADS_MAX) {
        hand_over(&handed);
        return;
    }
    Handed *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    *copy = handed;
    if (pthread_create(&threads[n_threads], NULL, hand_over_alone, copy) == 0)
        n_threads++;
    else
        hand_over_alone(copy);
}

/* As in the original, a record that finds no buffer is gone. */
static void put(const uint8_t *record, size_t size)
{
    size_t max = 0;

    if (!current.bytes) {
        request_buffer(&current.bytes, &current.size, &max);
        current.used = 0;
        if (!current.bytes) {
            complete_buffer(NULL, 0, 0);
            state.n_dropped++;
            return;
        }
    }
    memcpy(current.bytes + current.used, record, size);
    current.used += size;
    state.n_told++;
    if (current.used >= current.size / 10 * (wrong("half") ? 5 : 8))
        retire(1);
}

/* ---- records that are told late ---- */

static struct {
    uint8_t bytes[72];
    size_t size;
    uint64_t at_ns;
} late[LATE_MAX];
static uint32_t late_first, late_end;

static void tell_late(void)
{
    uint64_t now = now_ns(CLOCK_MONOTONIC);

    for (; late_first != late_end && late[late_first % LATE_MAX].at_ns <= now; late_first++)
        put(late[late_first % LATE_MAX].bytes, late[late_first % LATE_MAX].size);
}

static void tell(const uint8_t *record, int kind)
{
    const char *lag = wrong("lag");

    if (!state.is_subscribed || !request_buffer || !(state.enabled >> kind & 1)) {
        state.n_dropped++;
    } else if (lag && (kind == 2 || kind == 4 || kind == 9) && late_end - late_first < LATE_MAX) {
        memcpy(late[late_end % LATE_MAX].bytes, record, sizes[kind]);
        late[late_end % LATE_MAX].size = sizes[kind];
        late[late_end++ % LATE_MAX].at_ns =
            now_ns(CLOCK_MONOTONIC) + (uint64_t)atoi(lag) * 1000000u;
    } else {
        put(record, sizes[kind]);
    }
}

/* ---- the library's functions ---- */

API int msptiSubscribe(void **out, void *callback, void *user)
{
    int code = fails("subscribe");

    if (code || !out)
        return code ? code : 1;
    if (state.is_subscribed || wrong("taken"))
        return 2;
    state.is_subscribed = 1;
    *out = &state;
    return 0;
}

API int msptiUnsubscribe(void *handle)
{
    int code = fails("unsubscribe");

    if (code || handle != &state)
        return code ? code : 1;
    state.is_subscribed = 0;
    return 0;
}

API int msptiActivityRegisterCallbacks(Request *request, Complete *complete)
{
    int code = fails("register");

    if (code || !request || !complete)
        return code ? code : 1;
    pthread_mutex_lock(&lock);
    request_buffer = request;
    complete_buffer = complete;
    pthread_mutex_unlock(&lock);
    return 0;
}

API int msptiActivityEnable(int kind)
{
    const char *one = wrong("fail-kind"), *preload = getenv("LD_PRELOAD");
    int code = fails("enable");

    if (one && atoi(one) == kind && strchr(one, ':'))
        code = atoi(strchr(one, ':') + 1);
    if (code || kind < 1 || kind >= 13)
        return code ? code : 1;
    if (kind >= 4 && kind <= 7 && (!preload || !strstr(preload, "libmspti.so")))
        return 6;
    pthread_mutex_lock(&lock);
    state.enabled |= 1u << kind;
    pthread_mutex_unlock(&lock);
    return 0;
}

API int msptiActivityDisable(int kind)
{
    int code = fails("disable");

    if (code || kind < 1 || kind >= 13)
        return code ? code : 1;
    pthread_mutex_lock(&lock);
    state.enabled &= ~(1u << kind);
    pthread_mutex_unlock(&lock);
    return 0;
}

API int msptiActivityFlushAll(uint32_t flag)
{
    const char *hang = wrong("hang");
    int code = fails("flush");

    if (hang)
        rest(atoi(hang));
    if (code)
        return code;
    pthread_mutex_lock(&lock);
    state.n_flushes++;
    tell_late();
    if (current.bytes && current.used)
        retire(wrong("thread") != NULL);
    while (n_threads > 0)
        pthread_join(threads[--n_threads], NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}

API int msptiActivityFlushPeriod(uint32_t ms)
{
    return 0;
}

/* ---- records ---- */

static void put_32(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, 4);
}

static void put_64(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, 8);
}

/* Texts have one place each and are never freed. */
static void put_text(uint8_t *record, size_t at, const char *text, int is_name)
{
    static char *texts[4096];
    static int n;
    char whole[512];
    const char *found = NULL;

    if (strcmp(text, "NULL") != 0) {
        snprintf(whole, sizeof whole, "%s%s", is_name ? "simulated " : "",
                 strcmp(text, "-") ? text : "");
        if (!strcmp(text, "-"))
            whole[0] = '\0';
        for (int i = 0; i < n && !found; i++)
            if (strcmp(texts[i], whole) == 0)
                found = texts[i];
        if (!found && n < 4096)
            found = texts[n++] = strdup(whole);
    }
    memcpy(record + at, &found, sizeof found);
}

typedef unsigned long long Number;

static int make_kernel(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    char type[128], name[256];
    Number correlation, begin, duration;

    if (sscanf(line, "%u %u %llu %127s %255s %llu %llu", &device, &stream, &correlation, type, name,
               &begin, &duration) != 7)
        return -1;
    put_32(record, 0, 2);
    put_64(record, 4, base + begin);
    put_64(record, 12, base + begin + duration);
    put_32(record, 20, device);
    put_32(record, 24, stream);
    put_64(record, 28, correlation);
    put_text(record, 36, type, 0);
    put_text(record, 44, name, 1);
    return 2;
}

static int make_api(const char *line, uint64_t base, uint8_t *record)
{
    unsigned kind, thread;
    char name[256];
    Number correlation, begin, duration;

    if (sscanf(line, "%u %u %llu %255s %llu %llu", &kind, &thread, &correlation, name, &begin,
               &duration) != 6)
        return -1;
    put_32(record, 0, kind);
    put_64(record, 4, base + begin);
    put_64(record, 12, base + begin + duration);
    put_32(record, 20, 4711);
    put_32(record, 24, thread);
    put_64(record, 28, correlation);
    put_text(record, 36, name, 1);
    return kind == 3 || (kind >= 10 && kind <= 12) ? (int)kind : -1;
}

static int make_comm(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    int type;
    char name[256], group[256], algorithm[64];
    Number correlation, count, begin, duration;

    if (sscanf(line, "%u %u %llu %255s %255s %63s %d %llu %llu %llu", &device, &stream,
               &correlation, name, group, algorithm, &type, &count, &begin, &duration) != 10)
        return -1;
    put_32(record, 0, 9);
    put_32(record, 4, (uint32_t)type);
    put_64(record, 8, count);
    put_32(record, 16, device);
    put_32(record, 20, stream);
    put_64(record, 24, base + begin);
    put_64(record, 32, base + begin + duration);
    put_text(record, 40, algorithm, 0);
    put_text(record, 48, name, 1);
    put_text(record, 56, group, 0);
    put_64(record, 64, correlation);
    return 9;
}

static int make_hccl(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    double bandwidth;
    char name[256], group[256];
    Number begin, duration;

    if (sscanf(line, "%u %u %255s %255s %lf %llu %llu", &device, &stream, name, group, &bandwidth,
               &begin, &duration) != 7)
        return -1;
    put_32(record, 0, 4);
    put_64(record, 4, base + begin);
    put_64(record, 12, base + begin + duration);
    put_32(record, 20, device);
    put_32(record, 24, stream);
    memcpy(record + 28, &bandwidth, 8);
    put_text(record, 36, name, 1);
    put_text(record, 44, group, 0);
    return 4;
}

static int make_marker(const char *line, uint64_t base, uint8_t *record)
{
    unsigned flag, source, a, b;
    char name[256], domain[256];
    Number id, at;

    if (sscanf(line, "%u %u %llu %u %u %255s %255s %llu", &flag, &source, &id, &a, &b, name, domain,
               &at) != 8)
        return -1;
    put_32(record, 0, 1);
    put_32(record, 4, flag);
    put_32(record, 8, source);
    put_64(record, 12, base + at);
    put_64(record, 20, id);
    put_32(record, 28, a);
    put_32(record, 32, b);
    put_text(record, 36, name, 1);
    put_text(record, 44, domain, 0);
    return 1;
}

static int make_memory(const char *line, uint64_t base, uint8_t *record)
{
    unsigned operation, device, stream;
    Number address, bytes, begin, duration;

    if (sscanf(line, "%u %u %u %llu %llu %llu %llu", &operation, &device, &stream, &address, &bytes,
               &begin, &duration) != 7)
        return -1;
    put_32(record, 0, 5);
    put_32(record, 4, operation);
    put_32(record, 8, 1);
    put_64(record, 20, base + begin);
    put_64(record, 28, base + begin + duration);
    put_64(record, 36, address);
    put_64(record, 44, bytes);
    put_32(record, 52, 4711);
    put_32(record, 56, device);
    put_32(record, 60, stream);
    return 5;
}

/* memset has its value where memcpy has its direction; and the rest is one layout. */
static int make_copy(const char *line, uint64_t base, uint8_t *record, int kind)
{
    unsigned device, stream, value, is_async;
    Number correlation, bytes, begin, duration;

    if (sscanf(line, "%u %u %llu %u %llu %u %llu %llu", &device, &stream, &correlation, &value,
               &bytes, &is_async, &begin, &duration) != 8)
        return -1;
    put_32(record, 0, (uint32_t)kind);
    put_32(record, 4, value);
    put_64(record, 8, bytes);
    put_64(record, 16, base + begin);
    put_64(record, 24, base + begin + duration);
    put_32(record, 32, device);
    put_32(record, 36, stream);
    put_64(record, 40, correlation);
    record[48] = (uint8_t)is_async;
    return kind;
}

static int make_external(const char *line, uint8_t *record)
{
    unsigned sort;
    Number id, correlation;

    if (sscanf(line, "%u %llu %llu", &sort, &id, &correlation) != 3)
        return -1;
    put_32(record, 0, 8);
    put_32(record, 4, sort);
    put_64(record, 8, id);
    put_64(record, 16, correlation);
    return 8;
}

API int mspti_double_play(const char *line, uint64_t base)
{
    _Alignas(8) uint8_t record[72] = {0};
    char word[32];
    int length = 0, kind = -1;

    if (sscanf(line, "%31s %n", word, &length) != 1)
        return -1;
    line += length;
    pthread_mutex_lock(&lock);
    if (!strcmp(word, "kernel"))
        kind = make_kernel(line, base, record);
    else if (!strcmp(word, "api"))
        kind = make_api(line, base, record);
    else if (!strcmp(word, "comm"))
        kind = make_comm(line, base, record);
    else if (!strcmp(word, "hccl"))
        kind = make_hccl(line, base, record);
    else if (!strcmp(word, "marker"))
        kind = make_marker(line, base, record);
    else if (!strcmp(word, "memory"))
        kind = make_memory(line, base, record);
    else if (!strcmp(word, "memset") || !strcmp(word, "memcpy"))
        kind = make_copy(line, base, record, word[3] == 's' ? 6 : 7);
    else if (!strcmp(word, "external"))
        kind = make_external(line, record);
    if (kind > 0)
        tell(record, kind);
    pthread_mutex_unlock(&lock);
    return kind > 0 ? 0 : -1;
}

API void mspti_double_kernels(uint64_t n, uint64_t first, uint64_t base, uint64_t step_ns)
{
    static const char *const types[] = {"KERNEL_AICORE", "KERNEL_AIVEC"};
    _Alignas(8) uint8_t record[56] = {0};
    char name[32];

    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = base + i * step_ns;
        pthread_mutex_lock(&lock);
        put_32(record, 0, 2);
        put_64(record, 4, at);
        put_64(record, 12, at + step_ns / 2);
        put_32(record, 20, (uint32_t)(i / 4 % 2));
        put_32(record, 24, (uint32_t)(i % 4));
        put_64(record, 28, first + i);
        if (i < 64) { /* the texts are the same from then on */
            put_text(record, 36, types[i % 2], 0);
            snprintf(name, sizeof name, "kernel_%u", (unsigned)(i % 8));
            put_text(record, 44, name, 1);
        }
        tell(record, 2);
        pthread_mutex_unlock(&lock);
    }
}
