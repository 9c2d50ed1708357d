/* SPDX-License-Identifier: Apache-2.0 */
/* Records PyTorch's functions. Stores the data of an open function that its open span in the host
 * does not contain: its inputs, the begin of a range, and all data of a function that may end on
 * another thread. */
#ifndef STROBE_PLUGINS_OPERATORS_H
#define STROBE_PLUGINS_OPERATORS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_backend.h"

/* The standard kind's fields, and the optional fields. */
struct strobe_cpu_op_more {
    struct strobe_cpu_op op;
    uint64_t flops;          /* floating point operations; absent: unknown */
    StrobeStringId values;   /* JSON array of texts, one for each input; 0: not recorded */
    StrobeStringId modules;  /* names of TorchScript modules, joined by ';'; 0: none */
    StrobeStringId overload; /* 0: there is none */
};

/* Callbacks for a backend. They are static because a running callback may outlive its session. */
extern const StrobeTorchEvents strobe_operator_events;

/* Begins to record. `size` is the size of the kind's fields: of the standard fields, or of all
 * fields in strobe_cpu_op_more. Ends of functions are recorded from attach to detach, begins only
 * between strobe_operators_record(1) and strobe_operators_record(0). Must be called on the control
 * thread. A forked child does not record until it calls record(1) itself. */
void strobe_operators_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind,
                             size_t size, StrobeTorchTarget *target);
void strobe_operators_record(int on);
/* Reports lost stacks. Must be called before a window ends. */
void strobe_operators_tell_losses(void);
void strobe_operators_detach(void);

#endif
