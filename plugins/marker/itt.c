/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that ITT calls. */
#include "itt-abi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "marker-marks.h"

/* 1 after __itt_pause: no marks are recorded until __itt_resume. */
static _Atomic int is_paused;

static int is_on(void)
{
    return marks_on() && !atomic_load_explicit(&is_paused, memory_order_relaxed);
}

/* ---- objects ---- */

/* Returns the MarkDomain of the program's domain, and stores it in `extra2`. If two threads call
 * this at the same time, both get the same MarkDomain. */
static MarkDomain *domain_of(IttDomain *domain)
{
    MarkDomain *known;

    if (!domain || !domain->flags)
        return NULL;
    known = atomic_load_explicit(&domain->extra2, memory_order_acquire);
    if (known)
        return known;
    known = mark_domain(domain->name ? domain->name : "", domain->name ? strlen(domain->name) : 0);
    atomic_store_explicit(&domain->extra2, known, memory_order_release);
    return known;
}

static const char *text_of(const IttString *string)
{
    return string && string->text ? string->text : "";
}

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

#define NAMES_SLOTS 1024u

/* Strings and domains that were created after ITT loaded this library. They are never freed,
 * because programs keep pointers to them. */
static struct {
    pthread_mutex_t lock;
    IttString *strings[NAMES_SLOTS];
    IttDomain *domains;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static IttString **slot_of(const char *text)
{
    uint64_t hash = 0;

    for (const char *at = text; *at; at++)
        hash = mix_hash(hash, (unsigned char)*at);
    return &names.strings[hash % NAMES_SLOTS];
}

/* Returns the handle of a text. Returns the same object for equal texts, because programs call this
 * function for each mark. */
static IttString *string_handle_create(const char *text)
{
    IttString **slot, *found;

    if (!text)
        return NULL;
    slot = slot_of(text);
    pthread_mutex_lock(&names.lock);
    for (found = *slot; found && strcmp(found->text, text) != 0;)
        found = found->next;
    if (!found && (found = calloc(1, sizeof *found + strlen(text) + 1))) {
        found->text = strcpy((char *)(found + 1), text);
        found->next = *slot;
        *slot = found;
    }
    pthread_mutex_unlock(&names.lock);
    return found;
}

static IttDomain *domain_create(const char *name)
{
    IttDomain *found;

    if (!name)
        return NULL;
    pthread_mutex_lock(&names.lock);
    for (found = names.domains; found && strcmp(found->name, name) != 0;)
        found = found->next;
    if (!found && (found = calloc(1, sizeof *found + strlen(name) + 1))) {
        found->flags = 1;
        found->name = strcpy((char *)(found + 1), name);
        found->next = names.domains;
        names.domains = found;
    }
    pthread_mutex_unlock(&names.lock);
    return found;
}

static uint64_t key_of_id(const MarkDomain *domain, const IttId *id)
{
    uint64_t hash = mix_hash(mix_hash(mix_hash(domain->number, id->d1), id->d2), id->d3);

    return mark_key(MARK_OF_ITT, hash);
}

/* ---- tasks ---- */

static void task_begin(IttDomain *domain, IttId id, IttId parent, IttString *name)
{
    if (is_on())
        mark_push(domain_of(domain), text_of(name), NULL);
}

/* Begins a task that is identified by a function instead of a name. */
static void task_begin_function(IttDomain *domain, IttId id, IttId parent, void *function)
{
    MarkMetadata metadata = mark_no_metadata;

    if (!is_on())
        return;
    metadata.argument = (uintptr_t)function;
    mark_push(domain_of(domain), "function", &metadata);
}

static void task_end(IttDomain *domain)
{
    if (is_on())
        mark_pop(domain_of(domain));
}

static void begin_by_id(IttDomain *domain, IttId id, IttId parent, IttString *name)
{
    MarkDomain *marks = is_on() ? domain_of(domain) : NULL;

    if (marks)
        mark_start(marks, key_of_id(marks, &id), text_of(name), NULL);
}

static void end_by_id(IttDomain *domain, IttId id)
{
    MarkDomain *marks = is_on() ? domain_of(domain) : NULL;

    if (marks)
        mark_end(marks, key_of_id(marks, &id), id.d1);
}

/* ---- frames ---- */

/* Returns the key of a frame. All frames of a domain without an id have the same key, because a
 * domain has only one such frame at a time. */
static uint64_t key_of_frame(const MarkDomain *domain, const IttId *id)
{
    static const IttId none = {0, 0, UINT64_MAX};

    return key_of_id(domain, id ? id : &none);
}

static void frame_begin(IttDomain *domain, IttId *id)
{
    MarkDomain *marks = is_on() ? domain_of(domain) : NULL;

    if (marks)
        mark_start(marks, key_of_frame(marks, id), marks->name, NULL);
}

static void frame_end(IttDomain *domain, IttId *id)
{
    MarkDomain *marks = is_on() ? domain_of(domain) : NULL;

    if (marks)
        mark_end(marks, key_of_frame(marks, id), id && id->d1 ? id->d1 : 1);
}

static void frame_submit(IttDomain *domain, IttId *id, uint64_t begin, uint64_t end)
{
    MarkDomain *marks = is_on() ? domain_of(domain) : NULL;

    if (marks)
        mark_span(marks, marks->name, begin, end);
}

static uint64_t get_timestamp(void)
{
    return mark_now();
}

/* ---- instants, metadata, counters ---- */

static void record_marker(IttDomain *domain, IttId id, IttString *name, int scope)
{
    if (is_on())
        mark_instant(domain_of(domain), text_of(name), NULL);
}

static int read_number(int type, size_t count, const void *data, double *number, uint64_t *bits)
{
    if (!data || count == 0)
        return 0;
    switch (type) {
    case ITT_U64:
    case ITT_I64:
        memcpy(bits, data, sizeof *bits);
        *number = type == ITT_U64 ? (double)*bits : (double)(int64_t)*bits;
        return 1;
    case ITT_U32:
        *number = *(const uint32_t *)data;
        *bits = *(const uint32_t *)data;
        return 1;
    case ITT_I32:
        *number = *(const int32_t *)data;
        break;
    case ITT_U16:
        *number = *(const uint16_t *)data;
        break;
    case ITT_I16:
        *number = *(const int16_t *)data;
        break;
    case ITT_F32:
        *number = *(const float *)data;
        break;
    case ITT_F64:
        *number = *(const double *)data;
        break;
    default:
        return 0;
    }
    *bits = (uint64_t)(int64_t)*number;
    return 1;
}

/* Records metadata of a task as an instant inside the task: the metadata's key is the instant's
 * name, the metadata's number its argument. */
static void metadata_add(IttDomain *domain, IttId id, IttString *key, int type, size_t count,
                         void *data)
{
    MarkMetadata metadata = mark_no_metadata;
    double number;

    if (!is_on() || !read_number(type, count, data, &number, &metadata.argument))
        return;
    mark_instant(domain_of(domain), text_of(key), &metadata);
}

static void metadata_str_add(IttDomain *domain, IttId id, IttString *key, const char *data,
                             size_t length)
{
    char text[1024];
    size_t n = strlen(text_of(key));

    if (!is_on() || !data)
        return;
    length = length ? strnlen(data, length) : strlen(data);
    n = n < sizeof text / 2 ? n : sizeof text / 2;
    memcpy(text, text_of(key), n);
    memcpy(text + n, ": ", 2);
    length = length < sizeof text - n - 3 ? length : sizeof text - n - 3;
    memcpy(text + n + 2, data, length);
    text[n + 2 + length] = '\0';
    mark_instant(domain_of(domain), text, NULL);
}

typedef struct Counter {
    int type;
    _Atomic int64_t total; /* present value of the counter */
    char name[];
} Counter;

/* Makes the counter "domain/name". It is never freed, because programs keep their counters until
 * they end. */
static Counter *counter_create_typed(const char *name, const char *domain, int type)
{
    size_t name_size = strlen(name ? name : "") + 1, domain_size = domain ? strlen(domain) : 0;
    Counter *counter = calloc(1, sizeof *counter + domain_size + 1 + name_size);

    if (!counter)
        return NULL;
    counter->type = type;
    if (domain_size) {
        memcpy(counter->name, domain, domain_size);
        counter->name[domain_size++] = '/';
    }
    memcpy(counter->name + domain_size, name ? name : "", name_size);
    return counter;
}

static Counter *counter_create(const char *name, const char *domain)
{
    return counter_create_typed(name, domain, ITT_U64);
}

static void counter_set_value(Counter *counter, void *value)
{
    double number;
    uint64_t bits;

    if (counter && is_on() && read_number(counter->type, 1, value, &number, &bits))
        mark_counter(counter->name, number);
}

static void counter_add(Counter *counter, int64_t delta)
{
    if (!counter)
        return;
    int64_t total = atomic_fetch_add_explicit(&counter->total, delta, memory_order_relaxed) + delta;
    if (is_on())
        mark_counter(counter->name, (double)total);
}

static void counter_inc(Counter *counter)
{
    counter_add(counter, 1);
}

static void counter_dec(Counter *counter)
{
    counter_add(counter, -1);
}

static void counter_inc_delta(Counter *counter, uint64_t delta)
{
    counter_add(counter, (int64_t)delta);
}

static void counter_dec_delta(Counter *counter, uint64_t delta)
{
    counter_add(counter, -(int64_t)delta);
}

/* ---- events: ranges of one thread, identified by a number ---- */

#define EVENTS_MAX 1024

static struct {
    pthread_mutex_t lock;
    _Atomic int n;
    char *names[EVENTS_MAX];
} events = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns the number of the event, which is at least 1; 0: the name is invalid, or there are too
 * many events. */
static int event_create(const char *name, int length)
{
    int n = 0;

    if (!name || length < 0)
        return 0;
    pthread_mutex_lock(&events.lock);
    char *copy = events.n < EVENTS_MAX ? strndup(name, (size_t)length) : NULL;
    if (copy) {
        events.names[events.n] = copy;
        n = ++events.n;
    }
    pthread_mutex_unlock(&events.lock);
    return n;
}

static uint64_t key_of_event(int event)
{
    static __thread char own; /* its address identifies the thread */

    return mark_key(MARK_OF_ITT, mix_hash(mix_hash((uintptr_t)&own, (uint64_t)event), UINT64_MAX));
}

static int event_start(int event)
{
    if (event < 1 || event > events.n)
        return 1;
    if (is_on())
        mark_start(mark_default_domain(), key_of_event(event), events.names[event - 1], NULL);
    return 0;
}

static int event_end(int event)
{
    if (event < 1 || event > events.n)
        return 1;
    if (is_on())
        mark_end(mark_default_domain(), key_of_event(event), (uint64_t)event);
    return 0;
}

/* ---- control ---- */

static void pause_marks(void)
{
    atomic_store(&is_paused, 1);
}

static void resume_marks(void)
{
    atomic_store(&is_paused, 0);
}

static void thread_set_name(const char *name)
{
    if (marks_on())
        mark_thread_name(0, name);
}

/* ---- injection ---- */

#define NAMED(name, function) {"__itt_" name, (IttFunction)function}

static const struct named {
    const char *name;
    IttFunction function;
} functions[] = {
    NAMED("domain_create", domain_create),
    NAMED("domain_createA", domain_create),
    NAMED("string_handle_create", string_handle_create),
    NAMED("string_handle_createA", string_handle_create),
    NAMED("task_begin", task_begin),
    NAMED("task_begin_fn", task_begin_function),
    NAMED("task_end", task_end),
    NAMED("task_begin_overlapped", begin_by_id),
    NAMED("task_end_overlapped", end_by_id),
    NAMED("region_begin", begin_by_id),
    NAMED("region_end", end_by_id),
    NAMED("frame_begin_v3", frame_begin),
    NAMED("frame_end_v3", frame_end),
    NAMED("frame_submit_v3", frame_submit),
    NAMED("get_timestamp", get_timestamp),
    NAMED("marker", record_marker),
    NAMED("metadata_add", metadata_add),
    NAMED("metadata_str_add", metadata_str_add),
    NAMED("metadata_str_addA", metadata_str_add),
    NAMED("counter_create", counter_create),
    NAMED("counter_createA", counter_create),
    NAMED("counter_create_typed", counter_create_typed),
    NAMED("counter_create_typedA", counter_create_typed),
    NAMED("counter_set_value", counter_set_value),
    NAMED("counter_inc", counter_inc),
    NAMED("counter_dec", counter_dec),
    NAMED("counter_inc_delta", counter_inc_delta),
    NAMED("counter_dec_delta", counter_dec_delta),
    NAMED("event_create", event_create),
    NAMED("event_createA", event_create),
    NAMED("event_start", event_start),
    NAMED("event_end", event_end),
    NAMED("pause", pause_marks),
    NAMED("resume", resume_marks),
    NAMED("thread_set_name", thread_set_name),
    NAMED("thread_set_nameA", thread_set_name),
};

static IttFunction find_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

void __itt_api_init(IttGlobal *global, uint32_t groups)
{
    if (!global || global->magic[0] != ITT_MAGIC || !global->apis)
        return;
    for (IttApi *api = global->apis; api->name; api++) {
        IttFunction ours = find_function(api->name);
        if (!api->function)
            continue;
        *api->function = ours && (!api->group || (api->group & groups)) ? ours : api->nothing;
    }
    marks_wake();
}
