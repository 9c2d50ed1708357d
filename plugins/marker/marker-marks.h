/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mark-up APIs have in common: domains, ranges by id, ranges by nesting, instants.
 *
 * The program's own threads call these functions, also before main and while there is no session.
 * They lock and allocate only for a domain that is seen for the first time.
 */
#ifndef STROBE_PLUGINS_MARKER_MARKS_H
#define STROBE_PLUGINS_MARKER_MARKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

#include "kept-metadata.h"

/* A domain of marks. Never freed: programs keep pointers to it. */
typedef struct MarkDomain {
    struct MarkDomain *next;
    uint32_t number; /* from 1; 1 is "default" */
    _Atomic int is_wanted;
    _Atomic uint64_t known; /* string id of the name; above it the window in which it is valid */
    char name[];
} MarkDomain;

/* How a range was marked; values of mstx's table of events. */
enum { MARK_INSTANT = 0, MARK_PUSHED = 1, MARK_STARTED = 2 };

extern const MarkMetadata mark_no_metadata;

/* Returns whether a window records. It is a single load, because each function of an API calls it
 * first. */
extern _Atomic int marks_are_on;

static inline int marks_on(void)
{
    return __builtin_expect(atomic_load_explicit(&marks_are_on, memory_order_relaxed), 0);
}

/* Finds or creates the domain of that name; NULL only if there is no memory. */
MarkDomain *mark_domain(const char *name, size_t length);
/* Returns the domain of marks without a domain. */
MarkDomain *mark_default_domain(void);

/* Tags that say which API a key belongs to: each API gives out its own ids, and all ranges are of
 * one kind. */
#define MARK_OF_NVTX (1ull << 61)
#define MARK_OF_MSTX (2ull << 61)
#define MARK_OF_ITT (3ull << 61)

/* Returns an id that no other range of the process has; never 0, less than 1 << 48. */
uint64_t mark_next_id(void);

/* Returns a new id that links a mark to its mark on the device. Only while marks_on(). */
uint64_t mark_next_connection(void);
/* The same for a mark to which the vendor's tool gave this id; the device's records name the id. */
uint64_t mark_connection_of(uint64_t id);

/* Returns the key of an API's range: the tag and the low 60 bits of the id. */
static inline uint64_t mark_key(uint64_t tag, uint64_t id)
{
    return tag | (id & ((1ull << 60) - 1));
}

/* Records an instant; `metadata` NULL: none. */
void mark_instant(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
void mark_counter(const char *name, double value);

/* Starts a range with a key (MARK_OF_* and lower bits). 0: it is not recorded. `metadata` is copied
 * and kept until the range ends; NULL: none. */
int mark_start(MarkDomain *domain, uint64_t key, const char *text, const MarkMetadata *metadata);
/* For a range that begins before its id is known: the first opens it with `key`; the second makes
 * it known by another key. */
int mark_start_early(MarkDomain *domain, uint64_t key, const char *text);
void mark_name_early(uint64_t key, uint64_t known_key, uint64_t connection);
/* Ends a range. `id` is the program's id of it. If the key is not open (it belongs to another
 * window, was ended already, or never existed), the end is only counted. */
void mark_end(MarkDomain *domain, uint64_t key, uint64_t id);
/* The same for an `id` from mark_next_id; faster on the thread that began the range. */
void mark_end_by_next_id(MarkDomain *domain, uint64_t key, uint64_t id);

/* Begin and end nested ranges of a thread and a domain: a pop ends the innermost one. `metadata`
 * NULL: none. Both return how many ranges the thread has open in this domain, before the push or
 * after the pop; -1: nothing is open, or the range is not recorded. */
int mark_push(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
int mark_pop(MarkDomain *domain);

/* Records the program's name for a thread; tid 0: the calling thread. */
void mark_thread_name(uint64_t tid, const char *name);

/* Records a range whose times the program gives, in ticks of StrobeHost.now. */
void mark_span(MarkDomain *domain, const char *text, uint64_t begin, uint64_t end);
uint64_t mark_now(void);

/* Returns how many ends of ranges that were not open there were since the last call. */
uint64_t marks_take_unmatched(void);

/* In a forked child: forgets the thread's id, which is different now. */
void marks_forget_thread(void);

/* Called when the program first uses an API: makes `strobe run` open the session, or this
 * collector. */
void marks_wake(void);
int marks_are_awake(void);

/* Called by the collector. `only` and `never` are names joined by '+'; an empty `only`: all
 * domains. */
void marks_begin(const StrobeHost *host, StrobeInstance *self);
StrobeStatus marks_declare(const StrobeHost *host, StrobeInstance *self);
void marks_filter(const char *only, const char *never);
void marks_end(void);

extern const StrobeKind mark_range_kind, mark_plain_range_kind, mark_instant_kind;
extern const StrobeKind mark_thread_kind;

#endif
