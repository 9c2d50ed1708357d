/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the framework of which more is to be remembered while they are open than the
 * host's span does: inputs, the begin of ranges, what ends on another thread. */
#ifndef STROBE_PLUGINS_OPERATORS_H
#define STROBE_PLUGINS_OPERATORS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_backend.h"

/* The standard kind's fields, and what is recorded on request. */
struct strobe_cpu_op_more {
    struct strobe_cpu_op op;
    uint64_t flops;          /* floating point operations, absent: not known */
    StrobeStringId values;   /* JSON array of texts, one for each input; 0: not recorded */
    StrobeStringId modules;  /* names of TorchScript modules, joined by ';'; 0: none */
    StrobeStringId overload; /* 0: none */
};

/* Callbacks for a backend. Static: a running callback outlives its session. */
extern const StrobeTorchEvents strobe_operator_events;

/* `kind` has fields of `size`: the standard ones, or all of strobe_cpu_op_more.
 * From attach to detach functions may end, and between record(1) and record(0) they may begin.
 * Control thread. A forked child does not record until it says record(1) itself. */
void strobe_operators_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind,
                             size_t size, StrobeTorchTarget *target);
void strobe_operators_record(int on);
/* Before a window's end. */
void strobe_operators_tell_losses(void);
void strobe_operators_detach(void);

#endif
