/* SPDX-License-Identifier: Apache-2.0 */
/* Records marks of torch.compile: compilations, graph breaks and recompilations. */
#ifndef STROBE_PLUGINS_COMPILE_MARKS_H
#define STROBE_PLUGINS_COMPILE_MARKS_H

#include <strobe/collector.h>

#include "compile-tool.h"

extern const StrobeKind compile_range_kind, compile_instant_kind;

/* Declares the kinds. Must be called on the control thread. */
StrobeStatus compile_marks_open(const StrobeHost *host, StrobeInstance *self);
/* Begins (1) or ends (0) the recording of marks. */
void compile_marks_record(int on);
void compile_marks_close(void);

/* Members of CompileTool; see its comments. Any thread may call them. */
uint64_t compile_marks_now(void);
void compile_marks_add_range(const CompileMark *mark);
void compile_marks_add_instant(const CompileMark *mark);

#endif
