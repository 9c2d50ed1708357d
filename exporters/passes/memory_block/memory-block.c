/* SPDX-License-Identifier: Apache-2.0 */
/* Computes memory_block from memory_event, cpu_op and task_queue. */
#include "memory-block.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/external-sorter.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "live-blocks.h"

/* Maximum number of events that wait for their operator to end. If there are more, the oldest
 * events are processed without an operator. */
#define WAITING_MAX 262144u
/* Maximum number of finished blocks that wait to be sorted by allocation. */
#define FINISHED_MAX 65536u
/* Maximum number of events with the same time that are compared. */
#define INSTANT_MAX 64u

enum {
    ADDRESS,
    SIZE,
    ALLOCATED,
    RESERVED,
    ACTIVE,
    STREAM,
    ACTION,
    DEVICE,
    COMPONENT,
    ID,
    EXTERNAL,
    N_WANTED
};

static const StrobeWantedField wanted[N_WANTED] = {
    [ADDRESS] = {"address", STROBE_FIELD_U64},
    [SIZE] = {"size", STROBE_FIELD_I64},
    [ALLOCATED] = {"total_allocated", STROBE_FIELD_I64},
    [RESERVED] = {"total_reserved", STROBE_FIELD_I64},
    [ACTIVE] = {"total_active", STROBE_FIELD_I64},
    [STREAM] = {"stream", STROBE_FIELD_U64},
    [ACTION] = {"action", STROBE_FIELD_U32},
    [DEVICE] = {"device", STROBE_FIELD_I32},
    [COMPONENT] = {"component", STROBE_FIELD_STRING},
    [ID] = {"block", STROBE_FIELD_LINK},
    [EXTERNAL] = {"ascend_raw.is_external", STROBE_FIELD_BOOL},
};

enum { MEMORY_EVENT, CPU_OP, TASK_QUEUE, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [MEMORY_EVENT] = "memory_event",
    [CPU_OP] = "cpu_op",
    [TASK_QUEUE] = "task_queue",
};

typedef struct MemoryBlocks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder binder;
    OperatorNames *names;
    LiveBlocks *live;
    /* elements of type MemoryEvent: events whose operator is known, sorted by time */
    StrobeExternalSorter *reported;
    StrobeStringId framework; /* "PTA" */
    /* elements of type MemoryEvent, in the order of arrival; the events before `first` are
     * finished */
    GArray *events;
    guint first;
    /* number of events that were removed from the array; the number of an event's question is this
     * number plus the event's index */
    guint64 n_forgotten;
    gboolean is_full; /* the host had no memory for a record */
} MemoryBlocks;

static void take_answer(void *user, guint64 question, const OperatorAnswer *answer)
{
    MemoryBlocks *pass = user;
    MemoryEvent *event;

    if (question < pass->n_forgotten + pass->first)
        return; /* the event was already processed without an operator */
    event = &g_array_index(pass->events, MemoryEvent, question - pass->n_forgotten);
    event->op = *answer;
    event->is_reported = TRUE;
}

static StrobeStatus memory_block_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    MemoryBlocks *pass = g_new0(MemoryBlocks, 1);

    pass->host = host;
    pass->self = self;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->binder.wanted = wanted;
    pass->binder.n_wanted = N_WANTED;
    pass->names = operator_names_new(host, self, take_answer, pass);
    pass->reported = strobe_external_sorter_new(host->storage(self));
    pass->live = live_blocks_new(*host->metadata_value(self, "memory_blocks") != '\0');
    pass->framework = host->intern(self, "PTA", strlen("PTA"));
    pass->events = g_array_new(FALSE, FALSE, sizeof(MemoryEvent));
    *state = pass;
    return STROBE_OK;
}

static void memory_block_close(void *state)
{
    MemoryBlocks *pass = state;

    operator_names_free(pass->names);
    live_blocks_free(pass->live);
    strobe_external_sorter_free(pass->reported);
    g_array_unref(pass->events);
    g_free(pass);
}

/* ---- emitting records ---- */

static gint64 subtract_time(gint64 at_ns, gint64 begin_ns)
{
    gint64 duration;

    return at_ns == STROBE_ABSENT_I64 || __builtin_sub_overflow(at_ns, begin_ns, &duration)
               ? STROBE_ABSENT_I64
               : duration;
}

/* Returns the name of the block's allocator. The framework's workspace counts as PTA, because the
 * Ascend profiler's tables do not distinguish the two. */
static StrobeStringId component_of(const MemoryBlocks *pass, const MemoryBlock *block)
{
    StrobeStringId component = block->key.source.component;

    return strcmp(pass->host->string(pass->self, component).bytes, "WORKSPACE") ? component
                                                                                : pass->framework;
}

static gboolean emit_block(MemoryBlocks *pass, const MemoryBlock *block)
{
    gint64 end_ns = MAX(MAX(block->release_ns, block->block_release_ns), block->begin_ns);
    struct strobe_memory_block *fields =
        pass->host->emit(pass->self, 0, block->track, block->name, block->begin_ns, end_ns);

    if (!fields)
        return FALSE;
    fields->size = block->size;
    fields->release_time = block->release_ns;
    fields->active_release_time = block->block_release_ns;
    fields->duration = subtract_time(block->release_ns, block->begin_ns);
    fields->active_duration = subtract_time(block->block_release_ns, block->begin_ns);
    fields->allocation_allocated = block->allocation.allocated;
    fields->allocation_reserved = block->allocation.reserved;
    fields->allocation_active = block->allocation.active;
    fields->release_allocated = block->release.allocated;
    fields->release_reserved = block->release.reserved;
    fields->release_active = block->release.active;
    fields->stream = block->stream;
    fields->device = block->key.source.device;
    fields->component = component_of(pass, block);
    return TRUE;
}

static void emit_finished(MemoryBlocks *pass)
{
    GArray *blocks = live_blocks_sorted(pass->live);

    for (guint i = 0; i < blocks->len && !pass->is_full; i++)
        pass->is_full = !emit_block(pass, &g_array_index(blocks, MemoryBlock, i));
    g_array_set_size(blocks, 0);
}

/* ---- events in order ---- */

/* Returns whether another event of the same time and allocator has the details of this state. */
static gboolean is_shadowed(const MemoryBlocks *pass, guint place)
{
    const MemoryEvent *state = &g_array_index(pass->events, MemoryEvent, place);
    guint from = place - MIN(place, INSTANT_MAX), to = MIN(place + INSTANT_MAX, pass->events->len);

    for (guint i = from; i < to; i++) {
        const MemoryEvent *event = &g_array_index(pass->events, MemoryEvent, i);

        if (event->at_ns == state->at_ns && event->action != MEMORY_STATE &&
            memory_source_equal(&event->key.source, &state->key.source))
            return TRUE;
    }
    return FALSE;
}

static void take_first(MemoryBlocks *pass)
{
    MemoryEvent *event = &g_array_index(pass->events, MemoryEvent, pass->first);

    event->is_shadowed = event->action == MEMORY_STATE && is_shadowed(pass, pass->first);
    strobe_external_sorter_add(pass->reported, (StrobeSortKey){event->at_ns, 0}, event,
                               sizeof *event);
    pass->first++;
}

/* Processes the events in the order of their times. In the order of records, the release of a block
 * may come before its allocation, because another thread may have released the block. */
static void take_sorted(MemoryBlocks *pass)
{
    MemoryEvent *event;
    size_t length;

    while ((event = strobe_external_sorter_next(pass->reported, &length))) {
        if (event->is_shadowed)
            live_blocks_skip(pass->live, event);
        else
            live_blocks_take(pass->live, event);
        if (live_blocks_n_finished(pass->live) >= FINISHED_MAX)
            emit_finished(pass);
    }
}

/* Moves events to `reported`, in order, when their operator is known and no other event of the same
 * time can follow. */
static void take_reported(MemoryBlocks *pass, gboolean is_end)
{
    while (pass->first < pass->events->len) {
        const MemoryEvent *event = &g_array_index(pass->events, MemoryEvent, pass->first);
        const MemoryEvent *last = &g_array_index(pass->events, MemoryEvent, pass->events->len - 1);
        gboolean must = is_end || pass->events->len - pass->first > WAITING_MAX;

        if (!must && (!event->is_reported || event->at_ns == last->at_ns))
            break;
        take_first(pass);
    }
    if (pass->first > WAITING_MAX || (pass->first > 4096 && pass->first > pass->events->len / 2)) {
        guint n = pass->first - INSTANT_MAX;

        g_array_remove_range(pass->events, 0, n);
        pass->n_forgotten += n;
        pass->first = INSTANT_MAX;
    }
}

/* ---- reading records ---- */

static guint64 thread_number(const StrobeTrackView *track)
{
    if (!track || track->type != STROBE_TRACK_THREAD)
        return OPERATOR_NAMES_ANY;
    return track->number ^ (track->pid << 32);
}

static MemoryEvent make_event(MemoryBlocks *pass, const StrobeView *record,
                              const StrobeTrackView *track)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binder, record->kind);
    guint64 id = strobe_field_u64(record, at[ID], STROBE_ABSENT_U64);
    MemoryEvent event = {
        .at_ns = record->begin_ns,
        .size = strobe_field_i64(record, at[SIZE], STROBE_ABSENT_I64),
        .totals = {strobe_field_i64(record, at[ALLOCATED], STROBE_ABSENT_I64),
                   strobe_field_i64(record, at[RESERVED], STROBE_ABSENT_I64),
                   strobe_field_i64(record, at[ACTIVE], STROBE_ABSENT_I64)},
        .stream = strobe_field_u64(record, at[STREAM], STROBE_ABSENT_U64),
        .action = strobe_field_u32(record, at[ACTION], MEMORY_STATE),
        .track = record->track,
        .name = *pass->host->string(pass->self, record->name).bytes ? record->name : 0,
    };
    MemoryKey *key = &event.key;

    key->is_id = id != STROBE_ABSENT_U64;
    key->address = key->is_id ? id : strobe_field_u64(record, at[ADDRESS], STROBE_ABSENT_U64);
    key->source.component = strobe_field_u32(record, at[COMPONENT], 0);
    key->source.device = (gint32)strobe_field_u32(record, at[DEVICE], (guint32)-1);
    key->pid = track ? track->pid : 0;
    key->source.is_ge = !strcmp(pass->host->string(pass->self, key->source.component).bytes, "GE");
    key->name = key->source.is_ge ? record->name : 0;
    return event;
}

static void add_event(MemoryBlocks *pass, const StrobeView *record)
{
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    MemoryEvent event = make_event(pass, record, track);
    guint64 number = pass->n_forgotten + pass->events->len;

    /* An allocator that the program itself contains counts only in the totals. */
    if (strobe_field_u8(record, strobe_binder_offsets(&pass->binder, record->kind)[EXTERNAL], 0))
        return;
    event.is_reported = event.key.source.is_ge || event.name ||
                        (event.action != MEMORY_ALLOCATION && event.action != MEMORY_STATE);
    g_array_append_val(pass->events, event);
    if (!event.is_reported)
        operator_names_ask(pass->names, number, thread_number(track), event.at_ns);
    take_reported(pass, FALSE);
}

static StrobeStatus check_sorter(const MemoryBlocks *pass)
{
    const int error = strobe_external_sorter_error(pass->reported);

    return error ? strobe_storage_fail(pass->host, pass->self, "allocations", error) : STROBE_OK;
}

static StrobeStatus no_room(MemoryBlocks *pass)
{
    return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                            "Cannot emit memory_block: the host has no room for it");
}

static StrobeStatus memory_block_batch(void *state, const StrobeView *records, size_t n)
{
    MemoryBlocks *pass = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const guint32 kind = strobe_kind_place(&pass->kinds, record->kind);

        if (kind == MEMORY_EVENT)
            add_event(pass, record);
        else if (kind == CPU_OP)
            operator_names_operator(pass->names, record,
                                    thread_number(pass->host->track(pass->self, record->track)));
        else if (kind == TASK_QUEUE)
            operator_names_queue(pass->names, record,
                                 thread_number(pass->host->track(pass->self, record->track)));
    }
    take_reported(pass, FALSE);
    return check_sorter(pass);
}

static StrobeStatus memory_block_end(void *state)
{
    MemoryBlocks *pass = state;

    operator_names_finish(pass->names);
    take_reported(pass, TRUE);
    take_sorted(pass);
    if (check_sorter(pass))
        return STROBE_ERROR_IO;
    live_blocks_finish(pass->live);
    emit_finished(pass);
    if (pass->is_full)
        return no_room(pass);
    if (live_blocks_n_orphans(pass->live))
        pass->host->log(pass->self, STROBE_LOG_INFO,
                        "%" G_GUINT64_FORMAT
                        " releases are of memory whose allocation is not known",
                        live_blocks_n_orphans(pass->live));
    if (live_blocks_n_dropped(pass->live))
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " allocations beyond %u at once are not shown",
                        live_blocks_n_dropped(pass->live), LIVE_BLOCKS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps memory_block_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = memory_block_open,
    .batch = memory_block_batch,
    .end = memory_block_end,
    .close = memory_block_close,
};
