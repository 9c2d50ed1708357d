/* SPDX-License-Identifier: Apache-2.0 */
/* The host functions of passes and exporters. */
#ifndef STROBE_CORE_CONSUMER_HOST_H
#define STROBE_CORE_CONSUMER_HOST_H

#include "consumer-state.h"

/* The host table for instances that a StrobeConsumer owns. */
extern const StrobeConsumerHost strobe_consumer_host;

/* Prints or keeps a line that a consumer logs. To be passed to strobe_instance_init. */
void strobe_consumer_log(StrobeInstance *self, gint32 level, const char *text);
/* Messages that a consumer logs after strobe_consumer_keep_messages are printed only by
 * strobe_consumer_print_messages, so that messages of several threads have a fixed order. */
void strobe_consumer_keep_messages(StrobeConsumer *consumer);
void strobe_consumer_print_messages(StrobeConsumer *consumer);

#endif
