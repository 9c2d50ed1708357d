/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls of the thread have ended, told by where their frames lie on its stack. libc only.
 *
 * A signal handler that leaves by siglongjmp ends the calls that it interrupted, and they never
 * know. The stack grows downwards: while a call goes on, the frames of all that it calls, and of
 * handlers that interrupt it, lie below its own.
 */
#ifndef STROBE_CORE_FRAMES_H
#define STROBE_CORE_FRAMES_H

#include <stdint.h>

/* The upper end of the frame of the function that this stands in; a multiple of 8. The compiler
 * knows its distance from the stack pointer: this takes one instruction and no frame pointer. */
#define STROBE_FRAME() ((uintptr_t)__builtin_dwarf_cfa())

/* So much at least lies between the frame of a call and that of a handler that interrupts it: the
 * kernel saves the registers there (on x86-64 128 bytes that it leaves alone, 440 of its own, 512
 * or more of vector registers). The frames of most functions are smaller. */
#define STROBE_SIGNAL_FRAME ((uintptr_t)1024)

/* All that a call calls, and all that interrupts it, has frames below `border`. Has that call
 * ended, as one with the frame `now` goes on? 0 where it is not certain: one of them lies on
 * another stack than the thread's own (a handler's alternate stack, a coroutine's). Makes system
 * calls. */
int strobe_frame_has_ended(uintptr_t border, uintptr_t now);

#endif
