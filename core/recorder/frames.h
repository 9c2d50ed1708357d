/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects from frame addresses which calls of the thread have ended. libc only.
 *
 * A signal handler that leaves by siglongjmp ends the calls that it interrupted, without any
 * further code of these calls. The stack grows downwards: while a call runs, the frames of its
 * callees, and of handlers that interrupt it, are below its own frame.
 */
#ifndef STROBE_CORE_FRAMES_H
#define STROBE_CORE_FRAMES_H

#include <stdint.h>

/* Address of the upper end of the current function's frame; a multiple of 8. The compiler knows its
 * distance from the stack pointer, so this takes one instruction and no frame pointer. */
#define STROBE_FRAME() ((uintptr_t)__builtin_dwarf_cfa())

/* Minimum distance between the frame of a call and the frame of a handler that interrupts it,
 * because the kernel saves the registers between them (on x86-64 a red zone of 128 bytes, 440 bytes
 * of kernel data, and 512 or more bytes of vector registers). The frames of most functions are
 * smaller than this. */
#define STROBE_SIGNAL_FRAME ((uintptr_t)1024)

/* Has a call ended? `border` is an address above the frames of all callees of this call and of all
 * handlers that interrupt it; `now` is the frame of the call that runs now. Returns 0 also if the
 * answer is uncertain, because one of the two addresses is not on the thread's own stack but on a
 * handler's alternate stack or a coroutine's stack. Makes system calls. */
int strobe_frame_has_ended(uintptr_t border, uintptr_t now);

#endif
