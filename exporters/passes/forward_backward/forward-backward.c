/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes operator_link from cpu_op: for each sequence number of autograd, links the forward
 * operator that begins last to the backward operator that begins last.
 */
#include "forward-backward.h"

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "id-rows.h"

/* Maximum number of pairs that wait. Sequence numbers increase, so if there are more, the oldest
 * half counts as complete. */
#define PAIRS_MAX 524288

enum { SEQUENCE, FORWARD_THREAD, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [SEQUENCE] = {"sequence", STROBE_FIELD_I64},
    [FORWARD_THREAD] = {"forward_thread", STROBE_FIELD_U64},
};

static const char *const kind_names[] = {"cpu_op"};

#define UNKNOWN G_MININT64

/* One end of a link. */
typedef struct End {
    gint64 begin_ns; /* UNKNOWN: no operator has come yet */
    StrobeTrackId track;
    StrobeStringId name;
} End;

typedef struct Pair {
    guint64 sequence;
    End forward, backward;
} Pair;

typedef struct ForwardBackward {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder binder;
    IdRows *pairs; /* elements of type Pair */
} ForwardBackward;

static StrobeStatus forward_backward_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                          void **state)
{
    ForwardBackward *links = g_new0(ForwardBackward, 1);

    links->host = host;
    links->self = self;
    links->kinds = (StrobeKindNames){.names = kind_names, .n_names = G_N_ELEMENTS(kind_names)};
    links->binder.wanted = wanted;
    links->binder.n_wanted = N_WANTED;
    links->pairs = id_rows_new(sizeof(Pair));
    *state = links;
    return STROBE_OK;
}

static gboolean emit_pair(ForwardBackward *links, const Pair *pair)
{
    struct strobe_operator_link *fields;

    if (pair->forward.begin_ns == UNKNOWN || pair->backward.begin_ns == UNKNOWN)
        return TRUE;
    fields = links->host->emit(links->self, 0, pair->forward.track, pair->forward.name,
                               pair->forward.begin_ns, pair->forward.begin_ns);
    if (!fields)
        return FALSE;
    fields->sequence = (gint64)pair->sequence;
    fields->to_begin = pair->backward.begin_ns;
    fields->to_track = pair->backward.track;
    return TRUE;
}

/* Emits and drops the oldest pairs until at most `n` pairs remain. */
static gboolean emit_oldest(ForwardBackward *links, guint n)
{
    guint n_old = id_rows_count(links->pairs) - MIN(id_rows_count(links->pairs), n);

    for (guint i = 0; i < n_old; i++)
        if (!emit_pair(links, id_rows_at(links->pairs, i)))
            return FALSE;
    id_rows_forget(links->pairs, n_old);
    return TRUE;
}

static Pair *find_pair(ForwardBackward *links, gint64 sequence)
{
    Pair *pair = id_rows_find(links->pairs, (guint64)sequence);

    if (pair)
        return pair;
    if (id_rows_count(links->pairs) >= PAIRS_MAX && !emit_oldest(links, PAIRS_MAX / 2))
        return NULL;
    pair = id_rows_add(links->pairs, (guint64)sequence);
    pair->forward.begin_ns = pair->backward.begin_ns = UNKNOWN;
    return pair;
}

static StrobeStatus out_of_space(ForwardBackward *links)
{
    return links->host->fail(links->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                             "Cannot emit operator_link: the host has no room for it");
}

static StrobeStatus forward_backward_batch(void *state, const StrobeView *records, size_t n)
{
    ForwardBackward *links = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const uint32_t *offsets;
        gint64 sequence;
        Pair *pair;
        End *end;

        if (strobe_kind_place(&links->kinds, record->kind) != 0)
            continue;
        offsets = strobe_binder_offsets(&links->binder, record->kind);
        sequence = strobe_field_i64(record, offsets[SEQUENCE], -1);
        if (sequence < 0)
            continue;
        pair = find_pair(links, sequence);
        if (!pair)
            return out_of_space(links);
        end =
            strobe_field_u64(record, offsets[FORWARD_THREAD], 0) ? &pair->backward : &pair->forward;
        if (record->begin_ns > end->begin_ns)
            *end = (End){record->begin_ns, record->track, record->name};
    }
    return STROBE_OK;
}

static StrobeStatus forward_backward_end(void *state)
{
    ForwardBackward *links = state;

    return emit_oldest(links, 0) ? STROBE_OK : out_of_space(links);
}

static void forward_backward_close(void *state)
{
    ForwardBackward *links = state;

    id_rows_free(links->pairs);
    g_free(links);
}

const StrobeConsumerOps forward_backward_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = forward_backward_open,
    .batch = forward_backward_batch,
    .end = forward_backward_end,
    .close = forward_backward_close,
};
