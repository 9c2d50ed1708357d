/* SPDX-License-Identifier: Apache-2.0 */
#include "pool-notes.h"

#include <stdio.h>
#include <string.h>

void strobe_notes_set(struct pool_notes *notes, uint32_t number, const char *component,
                      const char *text)
{
    if (number >= STROBE_NOTES)
        return;
    struct pool_note *note = &notes->missing[number];
    atomic_store(&note->is_set, 0);
    if (!text)
        return;
    snprintf(note->component, sizeof note->component, "%s", component);
    snprintf(note->text, sizeof note->text, "%s", text);
    atomic_store(&note->is_set, 1);
}

void strobe_notes_clear(struct pool_notes *notes)
{
    for (uint32_t i = 0; i < STROBE_NOTES; i++)
        atomic_store(&notes->missing[i].is_set, 0);
}

void strobe_notes_log(struct pool_notes *notes, const char *bytes, size_t n)
{
    uint32_t used = atomic_load(&notes->log_used);

    if (used > sizeof notes->log)
        return;
    if (n > sizeof notes->log - used)
        n = sizeof notes->log - used;
    memcpy(notes->log + used, bytes, n);
    atomic_store(&notes->log_used, used + (uint32_t)n);
}
