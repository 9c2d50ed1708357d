/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strobe's subscription to MSPTI.
 *
 * The calls that end the subscription may wait for a device, or for ever, so a separate thread
 * makes them. MSPTI has at most one subscriber, so a process has one NpuSubscription.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_SUBSCRIPTION_H
#define STROBE_PLUGINS_NPU_TASK_SUBSCRIPTION_H

#include <strobe/collector.h>

#include "bounded-call.h"
#include "npu-drain.h"

typedef struct NpuSubscription {
    const MsptiLibrary *library;
    NpuDrain *drain; /* the drain's thread also calls the library */
    void *handle;
    /* MSPTI has a subscription of this session, or of an earlier session that could not end it */
    int is_held;
    uint32_t enabled; /* enabled kinds, as bits */
    uint32_t stuck;   /* kinds that an earlier session could not disable */
    NpuCall call;
    int is_done; /* all calls that end the subscription have returned, with or without errors */
    int32_t kind, disable_code, unsubscribe_code, flush_code;
    /* name of the function that is being called; NULL: the thread waits for the library's lock */
    _Atomic(const char *) function;
} NpuSubscription;

/* Subscribes, or continues a subscription that an earlier session could not end. Must be called on
 * the control thread. */
StrobeStatus npu_subscription_take(NpuSubscription *subscription, const StrobeHost *host,
                                   StrobeInstance *self);

/* Returns the kinds that another client of MSPTI has disabled, as bits; 0 if MSPTI cannot report
 * this. */
uint32_t npu_subscription_missing(const NpuSubscription *subscription);

/* Registers the plugin's callbacks again and enables the missing kinds again, in case another
 * client of MSPTI has changed them. The caller must hold the library's lock. Returns the kinds that
 * were missing. */
uint32_t npu_subscription_renew(NpuSubscription *subscription);

/* Disables the kinds, unsubscribes and fetches the last records; logs each failure. Returns 0; -1:
 * the library did not return, and the thread that called it was abandoned. */
int npu_subscription_give_back(NpuSubscription *subscription, const StrobeHost *host,
                               StrobeInstance *self);

/* Returns whether a thread is still in a call to the library. If so, the caller must not make any
 * other call to the library. */
int npu_subscription_is_left(const NpuSubscription *subscription);

#endif
