/* SPDX-License-Identifier: Apache-2.0 */
#include "subscription.h"

#include "activities.h"
#include "buffers.h"

#define PATIENCE_NS 2500000000 /* maximum time of all calls together that end the subscription */

/* ---- begin of the subscription ---- */

/* Disables all kinds. Returns the error code, and sets `kind` to the kind that failed. */
static int32_t disable_kinds(NpuSubscription *subscription, int32_t *kind)
{
    uint32_t kinds = subscription->enabled | subscription->stuck;
    int32_t code;

    subscription->stuck = npu_activities_disable(subscription->library, kinds, kind, &code);
    subscription->enabled = 0;
    return code;
}

static StrobeStatus open_subscription(NpuSubscription *subscription, const StrobeHost *host,
                                      StrobeInstance *self)
{
    int32_t code = subscription->library->subscribe(&subscription->handle, NULL, NULL);

    if (code == MSPTI_MULTIPLE_SUBSCRIBERS && subscription->is_held) {
        host->log(self, STROBE_LOG_INFO,
                  "MSPTI still has the subscription of an earlier session: Strobe uses it again");
        return STROBE_OK;
    }
    subscription->is_held = code == MSPTI_SUCCESS;
    if (code == MSPTI_SUCCESS)
        return STROBE_OK;
    return host->fail(
        self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
        "Cannot record NPU tasks: MSPTI refuses the subscription: code=%d, reason=\"%s\"", code,
        npu_mspti_error(code));
}

StrobeStatus npu_subscription_take(NpuSubscription *subscription, const StrobeHost *host,
                                   StrobeInstance *self)
{
    StrobeStatus status = open_subscription(subscription, host, self);

    if (status != STROBE_OK)
        return status;
    disable_kinds(subscription, &subscription->kind);
    int32_t code =
        subscription->library->register_callbacks(npu_buffers_request, npu_buffers_complete);
    if (code == MSPTI_SUCCESS)
        return STROBE_OK;
    host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
               "Cannot record NPU tasks: MSPTI refuses the callbacks: code=%d, reason=\"%s\"", code,
               npu_mspti_error(code));
    npu_subscription_give_back(subscription, host, self);
    return STROBE_UNAVAILABLE;
}

uint32_t npu_subscription_missing(const NpuSubscription *subscription)
{
    uint32_t missing = 0;

    for (int32_t kind = 1; subscription->library->is_enabled && kind < MSPTI_KINDS; kind++)
        if (npu_activities_have(subscription->enabled, kind) &&
            !subscription->library->is_enabled(kind))
            missing |= 1u << kind;
    return missing;
}

uint32_t npu_subscription_renew(NpuSubscription *subscription)
{
    const MsptiLibrary *library = subscription->library;
    uint32_t missing = npu_subscription_missing(subscription);

    library->register_callbacks(npu_buffers_request, npu_buffers_complete);
    for (int32_t kind = 1; kind < MSPTI_KINDS; kind++)
        if (npu_activities_have(missing, kind))
            library->enable(kind);
    return missing;
}

/* ---- end of the subscription ---- */

static void call_end(void *user)
{
    NpuSubscription *subscription = user;
    const MsptiLibrary *library = subscription->library;

    if (npu_drain_hold_library(subscription->drain, NPU_LIBRARY_PATIENCE_NS) != 0)
        return;
    atomic_store(&subscription->function, "msptiActivityDisable");
    subscription->disable_code = disable_kinds(subscription, &subscription->kind);
    atomic_store(&subscription->function, "msptiUnsubscribe");
    subscription->unsubscribe_code = library->unsubscribe(subscription->handle);
    subscription->is_held = subscription->unsubscribe_code != MSPTI_SUCCESS;
    atomic_store(&subscription->function, "msptiActivityFlushAll");
    subscription->flush_code = library->flush_all(1);
    npu_drain_give_library(subscription->drain);
    subscription->is_done = 1;
}

static void report_errors(const NpuSubscription *subscription, const StrobeHost *host,
                          StrobeInstance *self)
{
    if (subscription->disable_code)
        host->log(self, STROBE_LOG_WARNING,
                  "MSPTI continues to record %s and perhaps more, which costs time: "
                  "msptiActivityDisable: code=%d, reason=\"%s\"",
                  npu_activity_name(subscription->kind), subscription->disable_code,
                  npu_mspti_error(subscription->disable_code));
    if (subscription->unsubscribe_code)
        host->log(self, STROBE_LOG_WARNING,
                  "MSPTI keeps Strobe as its subscriber, so that no other profiler can attach to "
                  "this process: msptiUnsubscribe: code=%d, reason=\"%s\"",
                  subscription->unsubscribe_code, npu_mspti_error(subscription->unsubscribe_code));
    if (subscription->flush_code)
        host->log(self, STROBE_LOG_WARNING,
                  "MSPTI does not hand over its last records: msptiActivityFlushAll: "
                  "code=%d, reason=\"%s\"",
                  subscription->flush_code, npu_mspti_error(subscription->flush_code));
}

int npu_subscription_give_back(NpuSubscription *subscription, const StrobeHost *host,
                               StrobeInstance *self)
{
    subscription->is_done = 0;
    subscription->disable_code = 0;
    atomic_store(&subscription->function, NULL);
    if (npu_call_begin(&subscription->call, call_end, subscription) != 0) {
        host->log(self, STROBE_LOG_WARNING,
                  "MSPTI keeps Strobe as its subscriber: no thread could be started to end that");
        return 0;
    }
    int is_over = npu_call_await(&subscription->call, PATIENCE_NS) == 0;
    if (is_over && subscription->is_done) {
        report_errors(subscription, host, self);
        return 0;
    }
    const char *function = atomic_load(&subscription->function);
    host->log(self, STROBE_LOG_WARNING,
              "MSPTI does not come back from %s: no session records NPU tasks until it does",
              function ? function : "msptiActivityFlushAll");
    return -1;
}

int npu_subscription_is_left(const NpuSubscription *subscription)
{
    return subscription->call.run && !npu_call_is_over(&subscription->call);
}
