/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libmspti.so, and the functions with which a program plays records. */
#include "mspti-double.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains.h"
#include "double-buffers.h"
#include "faults.h"
#include "late-objects.h"
#include "launches.h"
#include "record-fields.h"
#include "record-lines.h"

#define MSPTI_DOUBLE_API __attribute__((visibility("default")))

MsptiDoubleState *mspti_double(void);
int mspti_double_play(const char *line, uint64_t base);
void mspti_double_kernels(uint64_t n, uint64_t first, uint64_t base, uint64_t step_ns);
int msptiSubscribe(void **out, void *callback, void *user);
int msptiUnsubscribe(void *handle);
int msptiActivityRegisterCallbacks(MsptiDoubleRequest request, MsptiDoubleComplete complete);
int msptiActivityEnable(int kind);
int msptiActivityDisable(int kind);
bool msptiActivityIsEnabled(int kind);
int msptiActivityFlushAll(uint32_t flag);
int msptiActivityFlushPeriod(uint32_t ms);
int msptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
int msptiActivityGetStructSize(int kind, uint32_t version, size_t *size);
int msptiActivityPushExternalCorrelationId(int id_type, uint64_t id);
int msptiActivityPopExternalCorrelationId(int id_type, uint64_t *id);

MSPTI_DOUBLE_API MsptiDoubleState *mspti_double(void)
{
    return &mspti_double_state;
}

static void sleep_ms(int ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

/* Waits while the program has set `blocks`. */
static void wait_while_blocked(void)
{
    __atomic_add_fetch(&mspti_double_state.n_blocked, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&mspti_double_state.blocks, __ATOMIC_SEQ_CST))
        sleep_ms(1);
    __atomic_sub_fetch(&mspti_double_state.n_blocked, 1, __ATOMIC_SEQ_CST);
}

/* ---- the library's functions ---- */

MSPTI_DOUBLE_API int msptiSubscribe(void **out, void *callback, void *user)
{
    int code = fault_of_call("subscribe");

    late_object_use(LATE_MANAGER);
    if (code || !out)
        return code ? code : 1;
    if (mspti_double_state.is_subscribed || fault("taken"))
        return 2;
    mspti_double_state.is_subscribed = 1;
    *out = &mspti_double_state;
    return 0;
}

MSPTI_DOUBLE_API int msptiUnsubscribe(void *handle)
{
    int code = fault_of_call("unsubscribe");

    late_object_use(LATE_MANAGER);
    if (code || handle != &mspti_double_state)
        return code ? code : 1;
    mspti_double_state.is_subscribed = 0;
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityRegisterCallbacks(MsptiDoubleRequest request,
                                                    MsptiDoubleComplete complete)
{
    int code = fault_of_call("register");

    late_object_use(LATE_MANAGER);
    if (code || !request || !complete)
        return code ? code : 1;
    double_hold();
    double_set_callbacks(request, complete);
    double_give();
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityEnable(int kind)
{
    const char *preload = getenv("LD_PRELOAD");
    int code = fault_of_kind(kind) ? fault_of_kind(kind) : fault_of_call("enable");

    late_object_use(LATE_MANAGER);
    if (code || kind < 1 || kind >= 13)
        return code ? code : 1;
    if (kind >= 4 && kind <= 7 && (!preload || !strstr(preload, "libmspti.so")))
        return 6;
    double_hold();
    mspti_double_state.enabled |= 1u << kind;
    double_give();
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityDisable(int kind)
{
    int code = fault_of_call("disable");

    late_object_use(LATE_MANAGER);
    if (code || kind < 1 || kind >= 13)
        return code ? code : 1;
    double_hold();
    mspti_double_state.enabled &= ~(1u << kind);
    double_give();
    return 0;
}

MSPTI_DOUBLE_API bool msptiActivityIsEnabled(int kind)
{
    double_hold();
    bool is_enabled = kind > 0 && kind < 13 && (mspti_double_state.enabled >> kind & 1);
    double_give();
    return is_enabled;
}

MSPTI_DOUBLE_API int msptiActivityFlushAll(uint32_t flag)
{
    const char *hang = fault("hang");
    int code = fault_of_call("flush");

    late_object_use(LATE_FLUSH);
    if (hang)
        sleep_ms(atoi(hang));
    wait_while_blocked();
    if (code)
        return code;
    double_hold();
    double_flush();
    double_give();
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    if (!n)
        return 1;
    late_object_use(LATE_MANAGER);
    double_hold();
    *n = double_take_dropped();
    double_give();
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityGetStructSize(int kind, uint32_t version, size_t *size)
{
    if (!size)
        return 1;
    *size = kind == DOUBLE_NEWER_KIND ? DOUBLE_NEWER_BYTES : double_size_of((uint32_t)kind);
    return *size ? 0 : 8;
}

MSPTI_DOUBLE_API int msptiActivityFlushPeriod(uint32_t ms)
{
    return 0;
}

MSPTI_DOUBLE_API int msptiActivityPushExternalCorrelationId(int id_type, uint64_t id)
{
    double_hold();
    int code = launches_push((uint32_t)id_type, id);
    double_give();
    return code;
}

MSPTI_DOUBLE_API int msptiActivityPopExternalCorrelationId(int id_type, uint64_t *id)
{
    double_hold();
    int code = launches_pop((uint32_t)id_type, id);
    double_give();
    return code;
}

/* ---- playing records ---- */

static void tell_line(uint8_t *record, int kind)
{
    int is_api = kind == 11 && (mspti_double_state.enabled & (1u << 11 | 1u << 3)) == 1u << 3;

    if (is_api)
        put_32(record, 0, 3);
    double_tell(record, is_api ? 3 : kind);
}

MSPTI_DOUBLE_API int mspti_double_play(const char *line, uint64_t base)
{
    _Alignas(8) uint8_t record[RECORD_BYTES_MAX] = {0};

    double_hold();
    int result = launches_play(line, base);
    if (result == 1) {
        int kind = record_of_line(line, base, record);
        if (kind == 1 && domains_drop(record))
            mspti_double_state.n_dropped++;
        else if (kind > 0)
            tell_line(record, kind);
        result = kind > 0 ? 0 : -1;
    }
    double_give();
    return result;
}

MSPTI_DOUBLE_API void mspti_double_kernels(uint64_t n, uint64_t first, uint64_t base,
                                           uint64_t step_ns)
{
    static const char *const types[] = {"KERNEL_AICORE", "KERNEL_AIVEC"};
    _Alignas(8) uint8_t record[RECORD_BYTES_MAX] = {0};
    char name[32];

    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = base + i * step_ns;
        double_hold();
        put_32(record, 0, 2);
        put_64(record, 4, at);
        put_64(record, 12, at + step_ns / 2);
        put_32(record, 20, (uint32_t)(i / 4 % 2));
        put_32(record, 24, (uint32_t)(i % 4));
        put_64(record, 28, first + i);
        if (i < 64) { /* later records keep the texts of the 64th, which saves time */
            put_text(record, 36, types[i % 2], 0);
            snprintf(name, sizeof name, "kernel_%u", (unsigned)(i % 8));
            put_text(record, 44, name, 1);
        }
        double_tell(record, 2);
        double_give();
    }
}
