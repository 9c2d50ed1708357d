/* SPDX-License-Identifier: Apache-2.0 */
#include "marker-marks.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include <strobe/helpers/mark-kinds.h>
#include <strobe/helpers/mstx-link.h>

/* The fields of all kinds: the standard field, then this plugin's fields. They are written as
 * 64-bit words, because the host reads them as 64-bit words: reading a word that was just stored in
 * two halves takes longer than everything else. */
struct plain_mark {
    uint64_t argument;
    uint64_t domain_and_event; /* domain: a StrobeStringId, the lower half; event: a u32, the upper
                                  half */
    uint64_t range;
};
struct mark {
    struct plain_mark plain;
    int64_t category;
    uint64_t end_thread;
    uint64_t category_name; /* a StrobeStringId */
    uint64_t connection;
};

static const StrobeField fields[] = {
    STROBE_MARK_ARGUMENT, STROBE_MARK_DOMAIN,     STROBE_MARK_EVENT,         STROBE_MARK_RANGE_ID,
    STROBE_MARK_CATEGORY, STROBE_MARK_END_THREAD, STROBE_MARK_CATEGORY_NAME, STROBE_MARK_CONNECTION,
};
#define N_FIELDS (sizeof fields / sizeof *fields)

const StrobeKind mark_range_kind = STROBE_MARK_RANGE_KIND(fields, N_FIELDS);
/* The kind of ranges that have only the first four fields, like most ranges. Their records have
 * half the size. */
const StrobeKind mark_plain_range_kind = STROBE_MARK_RANGE_KIND(fields, 4);
const StrobeKind mark_instant_kind = STROBE_MARK_INSTANT_KIND(fields, N_FIELDS);

static const StrobeField thread_fields[] = {
    {"thread", STROBE_FIELD_U64, 0, "", "Kernel id of the thread."},
};
const StrobeKind mark_thread_kind = STROBE_KIND("marker.thread", INSTANT, thread_fields,
                                                "The program's name for one of its threads.");

const MarkMetadata mark_no_metadata = {STROBE_ABSENT_U64, STROBE_ABSENT_I64, NULL,
                                       STROBE_ABSENT_U64, 0};

_Atomic int marks_are_on;

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId plain_range, range, instant, thread, counter;
    _Atomic uint64_t window; /* number of the current window */
    _Atomic uint64_t next_id;
    _Atomic uint64_t n_unmatched;
    _Atomic int is_awake;
} marks;

/* Maximum number of pushed ranges that are open on one thread, in all domains. */
#define PUSHED_MAX 256
#define IDS_AT_ONCE 64

/* State of a thread. It is too large for the static thread-local storage that is free in a running
 * program, so finding its address takes a call, which should happen only once for each mark. */
struct own {
    uint64_t window;
    uint64_t process_and_thread;
    uint32_t tid; /* 0: `tid` and `process_and_thread` are not known yet */
    uint32_t n_pushed;
    uint64_t next_id, end_id; /* range of ids that this thread has reserved */
    struct pushed {
        MarkDomain *domain;
        int has_metadata;
        MarkMetadata metadata;
    } pushed[PUSHED_MAX];
};
static __thread struct own own_storage;

static inline uint32_t own_tid(struct own *mine)
{
    if (!mine->tid) {
        mine->tid = (uint32_t)syscall(SYS_gettid);
        mine->process_and_thread = (uint64_t)getpid() << 32 | mine->tid;
    }
    return mine->tid;
}

static inline uint64_t process_and_thread(struct own *mine)
{
    own_tid(mine);
    return mine->process_and_thread;
}

void marks_forget_thread(void)
{
    own_storage.tid = 0;
}

uint64_t mark_next_id(void)
{
    struct own *mine = &own_storage;

    if (mine->next_id == mine->end_id) {
        mine->next_id =
            1 + atomic_fetch_add_explicit(&marks.next_id, IDS_AT_ONCE, memory_order_relaxed);
        mine->end_id = mine->next_id + IDS_AT_ONCE;
    }
    return mine->next_id++;
}

/* Returns whether mark_next_id gave the id to this thread recently. */
static int is_own_id(const struct own *mine, uint64_t id)
{
    return mine->end_id - id <= IDS_AT_ONCE && id < mine->next_id;
}

uint64_t mark_next_connection(void)
{
    return marks.host->link_ids(marks.self, 1);
}

uint64_t mark_connection_of(uint64_t id)
{
    uint64_t link = id < MSTX_LINK_OF_MARK ? marks.host->link_for(marks.self, MSTX_LINK_COLLECTOR,
                                                                  MSTX_LINK_OF_MARK | id)
                                           : 0;

    return link ? link : mark_next_connection();
}

static int is_wanted(const MarkDomain *domain)
{
    return marks_on() && domain && atomic_load_explicit(&domain->is_wanted, memory_order_relaxed);
}

/* Returns the string id of the domain's name. If the host returns the same id for the name twice,
 * the id is valid for the whole window and is stored; otherwise it is valid for only one record. */
static StrobeStringId name_of_domain(StrobeWriter *writer, MarkDomain *domain)
{
    uint64_t window = atomic_load_explicit(&marks.window, memory_order_relaxed);
    uint64_t known = atomic_load_explicit(&domain->known, memory_order_relaxed);
    size_t length;

    if (__builtin_expect(known >> 32 == (uint32_t)window, 1))
        return (StrobeStringId)known;
    length = strlen(domain->name);
    StrobeStringId id = marks.host->intern(writer, domain->name, length);
    if (id == marks.host->intern(writer, domain->name, length))
        atomic_store_explicit(&domain->known, window << 32 | id, memory_order_relaxed);
    return id;
}

static inline struct plain_mark describe_plainly(StrobeWriter *writer, MarkDomain *domain,
                                                 uint32_t event, uint64_t range)
{
    return (struct plain_mark){
        .argument = STROBE_ABSENT_U64,
        .domain_and_event = (uint64_t)event << 32 | name_of_domain(writer, domain),
        .range = range,
    };
}

/* Returns all fields of a mark. `metadata` may be NULL. */
static struct mark describe_mark(StrobeWriter *writer, MarkDomain *domain, uint32_t event,
                                 uint64_t range, const MarkMetadata *metadata)
{
    const StrobeHost *host = marks.host;
    const MarkMetadata *known = metadata ? metadata : &mark_no_metadata;
    struct mark mark = {
        .plain = describe_plainly(writer, domain, event, range),
        .category = known->category,
        .connection = known->connection,
        .end_thread = event == MARK_INSTANT ? STROBE_ABSENT_U64 : process_and_thread(&own_storage),
    };

    mark.plain.argument = known->argument;
    if (known->category_name)
        mark.category_name =
            host->intern(writer, known->category_name, strlen(known->category_name));
    return mark;
}

void mark_instant(MarkDomain *domain, const char *text, const MarkMetadata *metadata)
{
    const StrobeHost *host = marks.host;

    if (!is_wanted(domain) || !text)
        return;
    uint64_t now = host->now();
    StrobeWriter *writer = host->writer(marks.self);
    if (!writer)
        return;
    struct mark mark = describe_mark(writer, domain, MARK_INSTANT, STROBE_ABSENT_U64, metadata);
    StrobeStringId name = host->intern(writer, text, strlen(text));
    void *out = host->reserve(writer, marks.instant, 0, name, now, 0);
    if (!out)
        return;
    memcpy(out, &mark, sizeof mark);
    host->commit(writer);
}

void mark_counter(const char *name, double value)
{
    const StrobeHost *host = marks.host;
    StrobeWriter *writer = marks_on() && name ? host->writer(marks.self) : NULL;

    if (!writer)
        return;
    StrobeStringId id = host->intern(writer, name, strlen(name));
    struct strobe_counter *out = host->reserve(writer, marks.counter, 0, id, host->now(), 0);
    if (!out)
        return;
    out->value = value;
    host->commit(writer);
}

void mark_span(MarkDomain *domain, const char *text, uint64_t begin, uint64_t end)
{
    const StrobeHost *host = marks.host;
    StrobeWriter *writer = is_wanted(domain) && text ? host->writer(marks.self) : NULL;

    if (!writer || end < begin)
        return;
    struct mark mark = describe_mark(writer, domain, MARK_STARTED, STROBE_ABSENT_U64, NULL);
    StrobeStringId name = host->intern(writer, text, strlen(text));
    void *out = host->reserve(writer, marks.range, 0, name, begin, end);
    if (!out)
        return;
    memcpy(out, &mark, sizeof mark);
    host->commit(writer);
}

void mark_thread_name(uint64_t tid, const char *name)
{
    const StrobeHost *host = marks.host;
    StrobeWriter *writer = marks_on() && name ? host->writer(marks.self) : NULL;

    if (!writer)
        return;
    StrobeStringId id = host->intern(writer, name, strlen(name));
    uint64_t *out = host->reserve(writer, marks.thread, 0, id, host->now(), 0);
    if (!out)
        return;
    *out = tid ? tid : own_tid(&own_storage);
    host->commit(writer);
}

/* ---- ranges ---- */

static inline int open_range(uint64_t key, const char *text, const MarkMetadata *metadata)
{
    return marks.host->async_open(marks.self, key, metadata ? marks.range : marks.plain_range, text,
                                  metadata ? metadata->argument : STROBE_ABSENT_U64);
}

int mark_start(MarkDomain *domain, uint64_t key, const char *text, const MarkMetadata *metadata)
{
    if (!is_wanted(domain) || !text || !open_range(key, text, metadata))
        return 0;
    if (metadata)
        kept_metadata_put(key, metadata);
    return 1;
}

int mark_start_early(MarkDomain *domain, uint64_t key, const char *text)
{
    return is_wanted(domain) && text && open_range(key, text, &mark_no_metadata);
}

void mark_name_early(uint64_t key, uint64_t known_key, uint64_t connection)
{
    MarkMetadata metadata = mark_no_metadata;

    metadata.connection = connection;
    metadata.key = key;
    kept_metadata_put(known_key, &metadata);
}

/* Ends the span with this key, and records all fields. Returns 0 if no such span is open. */
static int end_span(MarkDomain *domain, uint64_t key, uint32_t event, uint64_t range,
                    const MarkMetadata *metadata)
{
    StrobeWriter *writer = marks.host->writer(marks.self);

    if (!writer)
        return 0;
    struct mark mark = describe_mark(writer, domain, event, range, metadata);
    return marks.host->async_close(marks.self, key, marks.range, &mark, sizeof mark);
}

/* Ends a range that has no metadata and was begun by this thread. */
static inline int end_plainly(MarkDomain *domain, uint64_t key, uint32_t event, uint64_t range)
{
    StrobeWriter *writer = marks.host->writer(marks.self);

    if (!writer)
        return 0;
    struct plain_mark mark = describe_plainly(writer, domain, event, range);
    return marks.host->async_close(marks.self, key, marks.plain_range, &mark, sizeof mark);
}

static void end_started(MarkDomain *domain, uint64_t key, uint64_t id, int is_here)
{
    MarkMetadata metadata;
    int has_metadata = kept_metadata_take(key, &metadata);

    if (has_metadata && metadata.key)
        key = metadata.key;
    int is_ended = is_here && !has_metadata
                       ? end_plainly(domain, key, MARK_STARTED, id)
                       : end_span(domain, key, MARK_STARTED, id, has_metadata ? &metadata : NULL);

    if (!is_ended)
        atomic_fetch_add_explicit(&marks.n_unmatched, 1, memory_order_relaxed);
}

void mark_end(MarkDomain *domain, uint64_t key, uint64_t id)
{
    if (marks_on() && domain && id)
        end_started(domain, key, id, 0);
}

void mark_end_by_next_id(MarkDomain *domain, uint64_t key, uint64_t id)
{
    if (marks_on() && domain && id)
        end_started(domain, key, id, is_own_id(&own_storage, id));
}

/* Returns the key of the thread's pushed ranges in the domain. It differs from all ids and from the
 * keys of other threads. */
static inline uint64_t pushed_key(struct own *mine, const MarkDomain *domain)
{
    return STROBE_KEY_OF_THREAD | (uint64_t)(domain->number & 0x7fffffff) << 32 | own_tid(mine);
}

/* If a new window has begun, drops the pushed ranges that were open when an earlier window
 * ended. */
static inline void forget_other_windows(struct own *mine)
{
    uint64_t window = atomic_load_explicit(&marks.window, memory_order_relaxed);

    if (mine->window == window)
        return;
    mine->window = window;
    mine->n_pushed = 0;
}

static inline int count_pushed(const struct own *mine, const MarkDomain *domain)
{
    int n = 0;

    for (uint32_t i = 0; i < mine->n_pushed; i++)
        n += mine->pushed[i].domain == domain;
    return n;
}

int mark_push(MarkDomain *domain, const char *text, const MarkMetadata *metadata)
{
    struct own *mine = &own_storage;

    if (!is_wanted(domain) || !text)
        return -1;
    forget_other_windows(mine);
    if (mine->n_pushed == PUSHED_MAX || !open_range(pushed_key(mine, domain), text, metadata))
        return -1;
    struct pushed *pushed = &mine->pushed[mine->n_pushed++];
    pushed->domain = domain;
    pushed->has_metadata = metadata != NULL;
    if (metadata)
        pushed->metadata = *metadata;
    return count_pushed(mine, domain) - 1;
}

/* Returns the innermost pushed range of the domain; NULL: there is none. */
static inline struct pushed *find_pushed(struct own *mine, const MarkDomain *domain)
{
    uint32_t i = mine->n_pushed;

    while (i > 0 && mine->pushed[i - 1].domain != domain)
        i--;
    return i ? &mine->pushed[i - 1] : NULL;
}

static inline void forget_pushed(struct own *mine, struct pushed *pushed)
{
    struct pushed *last = &mine->pushed[--mine->n_pushed];

    if (pushed != last)
        memmove(pushed, pushed + 1, (size_t)(last - pushed) * sizeof *pushed);
}

int mark_pop(MarkDomain *domain)
{
    struct own *mine = &own_storage;

    if (!marks_on() || !domain)
        return -1;
    forget_other_windows(mine);
    struct pushed *pushed = find_pushed(mine, domain);
    if (!pushed) {
        atomic_fetch_add_explicit(&marks.n_unmatched, 1, memory_order_relaxed);
        return -1;
    }
    uint64_t key = pushed_key(mine, domain);
    if (__builtin_expect(pushed->has_metadata, 0))
        end_span(domain, key, MARK_PUSHED, STROBE_ABSENT_U64, &pushed->metadata);
    else
        end_plainly(domain, key, MARK_PUSHED, STROBE_ABSENT_U64);
    forget_pushed(mine, pushed);
    return count_pushed(mine, domain);
}

/* ---- the session ---- */

uint64_t mark_now(void)
{
    return marks_on() ? marks.host->now() : 0;
}

uint64_t marks_take_unmatched(void)
{
    return atomic_exchange_explicit(&marks.n_unmatched, 0, memory_order_relaxed);
}

void marks_wake(void)
{
    atomic_store(&marks.is_awake, 1);
    void (*wake)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, STROBE_WAKE_SYMBOL);
    if (wake)
        wake();
}

int marks_are_awake(void)
{
    return atomic_load(&marks.is_awake);
}

StrobeStatus marks_declare(const StrobeHost *host, StrobeInstance *self)
{
    StrobeStatus status = host->kind(self, &mark_range_kind, &marks.range);

    if (status == STROBE_OK)
        status = host->kind(self, &mark_plain_range_kind, &marks.plain_range);
    if (status == STROBE_OK)
        status = host->kind(self, &mark_instant_kind, &marks.instant);
    if (status == STROBE_OK)
        status = host->kind(self, &mark_thread_kind, &marks.thread);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_counter, &marks.counter);
    return status;
}

void marks_begin(const StrobeHost *host, StrobeInstance *self)
{
    marks.host = host;
    marks.self = self;
    atomic_fetch_add_explicit(&marks.window, 1, memory_order_relaxed);
    kept_metadata_clear();
    atomic_store_explicit(&marks_are_on, 1, memory_order_release);
}

void marks_end(void)
{
    atomic_store_explicit(&marks_are_on, 0, memory_order_release);
}
