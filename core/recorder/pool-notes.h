/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The diagnostics and the log, which the program writes to the result at the end of a window. They
 * are also kept in the pool from the time when they are known: if the program ends within the
 * window, recovery writes them. libc only.
 */
#ifndef STROBE_CORE_POOL_NOTES_H
#define STROBE_CORE_POOL_NOTES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STROBE_NOTES 64u
#define STROBE_NOTES_LOG_BYTES (64u << 10)

struct pool_note {
    _Atomic uint32_t is_set;
    char component[60];
    char text[448];
};

struct pool_notes {
    _Atomic uint32_t track; /* track of the diagnostics */
    _Atomic uint32_t log_used;
    struct pool_note missing[STROBE_NOTES];
    char log[STROBE_NOTES_LOG_BYTES];
};

/* Sets the diagnostic `number`; NULL `text` removes it. Numbers from STROBE_NOTES on are
 * ignored. */
void strobe_notes_set(struct pool_notes *notes, uint32_t number, const char *component,
                      const char *text);
void strobe_notes_clear(struct pool_notes *notes);
/* Appends bytes to the log while there is room. Only one thread at a time may call this
 * function. */
void strobe_notes_log(struct pool_notes *notes, const char *bytes, size_t n);

#endif
