/* SPDX-License-Identifier: Apache-2.0 */
/* What passes derive goes to those who want it. */
#ifndef STROBE_CORE_DERIVATION_H
#define STROBE_CORE_DERIVATION_H

#include "consumers.h"

/* Everybody has all that the reader read, and all losses are known. Passes (StrobeConsumer), each
 * behind those whose records it wants, end in this order and are closed; what each derived goes to
 * those behind it and to the others. What nobody wants is counted only. `ended`, unless NULL, is
 * told the share of the passes that have ended. */
void strobe_derive(StrobeReader *reader, StrobeGaps *gaps, StrobeConsumers *consumers,
                   const GPtrArray *passes, const GPtrArray *others,
                   void (*ended)(gpointer user, double share), gpointer user);

#endif
