/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the implementations of mstx, NVTX and ITT share: domains, ranges with ids,
 * nested ranges, instants.
 *
 * The program's threads call these functions, even before main and while there is no session. The
 * functions lock and allocate only for a domain that is seen for the first time.
 */
#ifndef STROBE_PLUGINS_MARKER_MARKS_H
#define STROBE_PLUGINS_MARKER_MARKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

#include "kept-metadata.h"

/* A domain of marks. It is never freed, because programs keep pointers to it. */
typedef struct MarkDomain {
    struct MarkDomain *next;
    uint32_t number; /* numbers begin with 1, which is "default" */
    _Atomic int is_wanted;
    /* the string id of the name, and in the upper half the window in which the id is valid */
    _Atomic uint64_t known;
    char name[];
} MarkDomain;

/* How a range was marked. The values are those of mstx's table of events. */
enum { MARK_INSTANT = 0, MARK_PUSHED = 1, MARK_STARTED = 2 };

extern const MarkMetadata mark_no_metadata;

/* TRUE while a window records. Each function of an API first calls marks_on, so reading the
 * variable must be a single load. */
extern _Atomic int marks_are_on;

static inline int marks_on(void)
{
    return __builtin_expect(atomic_load_explicit(&marks_are_on, memory_order_relaxed), 0);
}

/* Returns the domain with this name, and makes it if necessary. Returns NULL if there is no
 * memory. */
MarkDomain *mark_domain(const char *name, size_t length);
/* Returns the domain "default", to which marks without a domain belong. */
MarkDomain *mark_default_domain(void);

/* Tags that say to which API a key belongs: ids of different APIs may be equal, and all ranges are
 * of the same kind. */
#define MARK_OF_NVTX (1ull << 61)
#define MARK_OF_MSTX (2ull << 61)
#define MARK_OF_ITT (3ull << 61)

/* Returns an id that no other range of the process has. It is not 0 and less than 1 << 48. */
uint64_t mark_next_id(void);

/* Returns a new id that links a mark on the host to the same mark on the device. Must be called
 * only while marks_on() is true. */
uint64_t mark_next_connection(void);
/* Returns the link for a mark to which the vendor's tool gave this id, which the device's records
 * contain. Must be called only while marks_on() is true. */
uint64_t mark_connection_of(uint64_t id);

/* Returns the key of an API's range: the tag and the low 60 bits of the id. */
static inline uint64_t mark_key(uint64_t tag, uint64_t id)
{
    return tag | (id & ((1ull << 60) - 1));
}

/* Records an instant; `metadata` NULL: none. */
void mark_instant(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
void mark_counter(const char *name, double value);

/* Starts a range with a key (MARK_OF_* and lower bits). Returns 0 if the range is not recorded.
 * `metadata` is copied and stored until the range ends; NULL: none. */
int mark_start(MarkDomain *domain, uint64_t key, const char *text, const MarkMetadata *metadata);
/* mark_start_early starts a range before its id is known, with the key `key`. mark_name_early then
 * gives this range a second key. */
int mark_start_early(MarkDomain *domain, uint64_t key, const char *text);
void mark_name_early(uint64_t key, uint64_t known_key, uint64_t connection);
/* Ends the range with this key. `id` is the program's id of the range. If no such range is open
 * (because it belongs to another window, has already ended, or never existed), only counts the
 * end. */
void mark_end(MarkDomain *domain, uint64_t key, uint64_t id);
/* Does the same as mark_end, for an `id` from mark_next_id. It is faster on the thread that began
 * the range. */
void mark_end_by_next_id(MarkDomain *domain, uint64_t key, uint64_t id);

/* Begin and end nested ranges of a thread and a domain: a pop ends the innermost range. `metadata`
 * NULL: none. Both return how many ranges the thread has open in this domain, before the push or
 * after the pop; -1: no range is open, or the range is not recorded. */
int mark_push(MarkDomain *domain, const char *text, const MarkMetadata *metadata);
int mark_pop(MarkDomain *domain);

/* Records the program's name for a thread; tid 0: the calling thread. */
void mark_thread_name(uint64_t tid, const char *name);

/* Records a range whose times the program gives, in ticks of StrobeHost.now. */
void mark_span(MarkDomain *domain, const char *text, uint64_t begin, uint64_t end);
uint64_t mark_now(void);

/* Returns the number of ends since the last call that had no open range. */
uint64_t marks_take_unmatched(void);

/* Must be called in a forked child: forgets the thread's id, which has changed. */
void marks_forget_thread(void);

/* Must be called when the program first uses an API: under `strobe run` this opens the session, or
 * this collector if the session is open. */
void marks_wake(void);
int marks_are_awake(void);

/* Only the collector may call these functions. `only` and `never` are names joined by '+'; an empty
 * `only` means all domains. */
void marks_begin(const StrobeHost *host, StrobeInstance *self);
StrobeStatus marks_declare(const StrobeHost *host, StrobeInstance *self);
void marks_filter(const char *only, const char *never);
void marks_end(void);

extern const StrobeKind mark_range_kind, mark_plain_range_kind, mark_instant_kind;
extern const StrobeKind mark_thread_kind;

#endif
