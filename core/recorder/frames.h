/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects from frame addresses which calls of the thread have ended. libc only.
 *
 * A signal handler that leaves by siglongjmp ends the calls that it interrupted, without their
 * notice. The stack grows downwards: while a call runs, the frames of its callees, and of
 * handlers that interrupt it, are below its own frame.
 */
#ifndef STROBE_CORE_FRAMES_H
#define STROBE_CORE_FRAMES_H

#include <stdint.h>

/* The upper end of the current function's frame; a multiple of 8. The compiler knows its
 * distance from the stack pointer, so this takes one instruction and no frame pointer. */
#define STROBE_FRAME() ((uintptr_t)__builtin_dwarf_cfa())

/* Minimum distance between the frame of a call and that of a handler that interrupts it: the
 * kernel saves the registers in between (on x86-64 a red zone of 128 bytes, 440 bytes of its
 * own, 512 or more of vector registers). The frames of most functions are smaller. */
#define STROBE_SIGNAL_FRAME ((uintptr_t)1024)

/* All callees of a call, and all handlers that interrupt it, have frames below `border`. Has
 * that call ended, given that a call with the frame `now` runs? Returns 0 if uncertain: one of
 * the two is not on the thread's own stack (a handler's alternate stack, a coroutine's). Makes
 * system calls. */
int strobe_frame_has_ended(uintptr_t border, uintptr_t now);

#endif
