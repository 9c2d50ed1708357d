/* SPDX-License-Identifier: Apache-2.0 */
/* What started ranges say besides their names, until they end on whatever thread. */
#ifndef STROBE_PLUGINS_MARKER_KEPT_FACTS_H
#define STROBE_PLUGINS_MARKER_KEPT_FACTS_H

#include <stdint.h>

/* What a mark says besides its name. */
typedef struct MarkFacts {
    uint64_t argument;         /* STROBE_ABSENT_U64: none */
    int64_t category;          /* STROBE_ABSENT_I64: none */
    const char *category_name; /* NULL: none */
    uint64_t connection; /* to the mark on the device, STROBE_ABSENT_U64: none was asked for */
    uint64_t key;        /* of the range, 0: the one by which its facts are known */
} MarkFacts;

/* Nothing is kept of a range without facts, nor where the table is full at its place: the range is
 * then recorded without them. */
void kept_facts_put(uint64_t key, const MarkFacts *facts);
/* 0: there are none of this key. */
int kept_facts_take(uint64_t key, MarkFacts *facts);
/* While no marks are recorded: those of ranges that never ended. */
void kept_facts_clear(void);

#endif
