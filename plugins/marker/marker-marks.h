/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mark-up APIs have in common: domains, ranges by id, ranges by nesting, instants.
 *
 * All calls come from the program's own threads, before main and while no session is there too.
 * None locks or allocates but for a domain seen for the first time.
 */
#ifndef STROBE_PLUGINS_MARKER_MARKS_H
#define STROBE_PLUGINS_MARKER_MARKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

#include "kept-metadata.h"

/* A domain of one API's marks. Never freed: programs keep pointers to it. */
typedef struct MarkDomain {
    struct MarkDomain *next;
    uint32_t number; /* from 1; 1 is "default" */
    _Atomic int is_wanted;
    _Atomic uint64_t known; /* the name's string id, above it the window in which it is good */
    char name[];
} MarkDomain;

/* How a range was marked; values of mstx's table of events. */
enum { MARK_INSTANT = 0, MARK_PUSHED = 1, MARK_STARTED = 2 };

extern const MarkMetadata mark_no_metadata;

/* Is a window recording? A single load, for what an API does before all else. */
extern _Atomic int marks_are_on;

static inline int marks_on(void)
{
    return __builtin_expect(atomic_load_explicit(&marks_are_on, memory_order_relaxed), 0);
}

/* Finds the domain of that name, or makes it; NULL only where there is no memory. */
MarkDomain *mark_domain(const char *name, size_t length);
/* The one of marks without a domain. */
MarkDomain *mark_default_domain(void);

/* Of whom a key is: the APIs deal out ids of their own, and one kind holds them all. */
#define MARK_OF_NVTX (1ull << 61)
#define MARK_OF_MSTX (2ull << 61)
#define MARK_OF_ITT (3ull << 61)

/* An id that no other range of the process has; never 0, less than 1 << 48. */
uint64_t mark_next_id(void);

/* An id for what a mark on the device can be joined by. While marks_on() only. */
uint64_t mark_next_connection(void);
/* ... where a tool behind gave the mark that id, by which it is told of on the device. */
uint64_t mark_connection_of(uint64_t id);

/* What one API's range is told by: tag and the low 60 bits of the id. */
static inline uint64_t mark_key(uint64_t tag, uint64_t id)
{
    return tag | (id & ((1ull << 60) - 1));
}

/* `facts` NULL: there are none. */
void mark_instant(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
void mark_counter(const char *name, double value);

/* A range known by a key, MARK_OF_* and bits below it; 0: it is not recorded. `facts` are kept;
 * NULL: there are none. */
int mark_start(MarkDomain *domain, uint64_t key, const char *text, const MarkMetadata *metadata);
/* A range that begins before its id is known: opens it by `key`, then makes it known by another. */
int mark_start_early(MarkDomain *domain, uint64_t key, const char *text);
void mark_name_early(uint64_t key, uint64_t known_key, uint64_t connection);
/* `id` is what the program knows the range by. A key that is not open (of another window, ended
 * twice, never given) is counted, no more. */
void mark_end(MarkDomain *domain, uint64_t key, uint64_t id);
/* The same where `id` is of mark_next_id; faster on the thread that began the range. */
void mark_end_by_next_id(MarkDomain *domain, uint64_t key, uint64_t id);

/* Ranges of a thread and a domain that end innermost first; `facts` NULL: none. Both return how
 * many the thread has open in this domain: before the push, after the pop; -1: nothing is open, or
 * not recorded. */
int mark_push(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
int mark_pop(MarkDomain *domain);

/* The program's name for a thread; tid 0: the calling one. */
void mark_thread_name(uint64_t tid, const char *name);

/* A range whose times the program tells (in ticks of StrobeHost.now). */
void mark_span(MarkDomain *domain, const char *text, uint64_t begin, uint64_t end);
uint64_t mark_now(void);

/* Ends of ranges that were not open, since the last call. */
uint64_t marks_take_unmatched(void);

/* In a forked child: what is known of the thread is not true any more. */
void marks_forget_thread(void);

/* An API was used by the program: a session may be wanted. */
void marks_wake(void);
int marks_are_awake(void);

/* The collector's side. The names are joined by '+'; an empty `only`: all. */
void marks_begin(const StrobeHost *host, StrobeInstance *self);
StrobeStatus marks_declare(const StrobeHost *host, StrobeInstance *self);
void marks_filter(const char *only, const char *never);
void marks_end(void);

extern const StrobeKind mark_range_kind, mark_plain_range_kind, mark_instant_kind;
extern const StrobeKind mark_thread_kind;

#endif
