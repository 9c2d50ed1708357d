/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our place as MSPTI's one subscriber, and how it is given back.
 *
 * The calls that give it back may wait for a device, or for ever: a thread of their own makes them.
 * There is one for the process, as the library has one.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_SUBSCRIPTION_H
#define STROBE_PLUGINS_NPU_TASK_SUBSCRIPTION_H

#include <strobe/collector.h>

#include "bounded-call.h"
#include "npu-drain.h"

typedef struct NpuSubscription {
    const MsptiLibrary *library;
    NpuDrain *drain; /* which asks the library, too */
    void *handle;
    int is_held;      /* MSPTI has us: of this session, or of one whose end failed */
    uint32_t enabled; /* kinds that are, as bits */
    uint32_t stuck;   /* that a session before could not disable */
    NpuCall call;
    int is_done; /* all calls of it have come back, whatever they returned */
    int32_t kind, disable_code, unsubscribe_code, flush_code;
    _Atomic(const char *) function; /* that is being called; NULL: it waits for its turn */
} NpuSubscription;

/* Subscribes, or uses again what a session before could not end. Control thread. */
StrobeStatus npu_subscription_take(NpuSubscription *subscription, const StrobeHost *host,
                                   StrobeInstance *self);

/* Kinds that another client of the library has disabled, as bits; 0 where the library cannot tell.
 */
uint32_t npu_subscription_missing(const NpuSubscription *subscription);

/* Another client may have taken our callbacks over, and disabled kinds: both are ours again. The
 * library is held. Returns the kinds that were missing. */
uint32_t npu_subscription_renew(NpuSubscription *subscription);

/* Disables, unsubscribes, asks for the last records; says what of that failed. 0, or -1: the
 * library does not come back, and a thread is left behind. */
int npu_subscription_give_back(NpuSubscription *subscription, const StrobeHost *host,
                               StrobeInstance *self);

/* Returns whether a thread is still inside. Then do not call the library. */
int npu_subscription_is_left(const NpuSubscription *subscription);

#endif
