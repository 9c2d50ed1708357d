/* SPDX-License-Identifier: Apache-2.0 */
/* Writes flow events from calls to the work that they launch. A flow event is written when both of
 * its ends are known. */
#include "tensorboard.h"

/* Maximum number of connections that wait for the other end of their flow event. */
#define SLOTS (1u << 16)

typedef struct Slot {
    guint64 connection;
    const BoardRow *begin_row, *end_row; /* NULL: this end is not known yet */
    gint64 begin_ns, end_ns;
    gboolean is_drawn;
} Slot;

struct BoardFlowEvents {
    Slot slots[SLOTS];
};

void board_flow_events_free(BoardFlowEvents *flow_events)
{
    g_free(flow_events);
}

void board_write_flow_event(Board *board, const char *category, const char *phase, guint64 id,
                            const BoardRow *row, gint64 time_ns)
{
    TraceOut *out = &board->main;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "\n{\"ph\": \"");
    *at++ = *phase;
    PUT_LITERAL(at, "\", \"id\": ");
    at = put_uint(at, id);
    PUT_LITERAL(at, ", ");
    at = trace_out_text(out, at, row->place, row->place_length);
    at = put_time(board, at, time_ns);
    PUT_LITERAL(at, ", \"cat\": \"");
    at = g_stpcpy(at, category);
    PUT_LITERAL(at, "\", \"name\": \"");
    at = g_stpcpy(at, category);
    if (*phase == 'f')
        PUT_LITERAL(at, "\", \"bp\": \"e\"}");
    else
        PUT_LITERAL(at, "\"}");
    trace_out_done(out, at);
}

static Slot *slot_of(Board *board, guint64 connection)
{
    Slot *slot;

    if (!board->flow_events)
        board->flow_events = g_new0(BoardFlowEvents, 1);
    slot = &board->flow_events->slots[connection % SLOTS];
    if (slot->connection != connection)
        *slot = (Slot){.connection = connection};
    return slot;
}

static void draw_slot(Board *board, Slot *slot)
{
    if (!slot->begin_row || !slot->end_row)
        return;
    if (!slot->is_drawn)
        board_write_flow_event(board, "ac2g", "s", slot->connection, slot->begin_row,
                               slot->begin_ns);
    slot->is_drawn = TRUE;
    board_write_flow_event(board, "ac2g", "f", slot->connection, slot->end_row, slot->end_ns);
    slot->end_row = NULL;
}

void board_flow_event_begin(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns)
{
    Slot *slot;

    if (connection == STROBE_ABSENT_U64)
        return;
    slot = slot_of(board, connection);
    if (slot->begin_row) /* the first call of a connection is the launch */
        return;
    slot->begin_row = row;
    slot->begin_ns = time_ns;
    draw_slot(board, slot);
}

void board_flow_event_end(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns)
{
    Slot *slot;

    if (connection == STROBE_ABSENT_U64)
        return;
    slot = slot_of(board, connection);
    slot->end_row = row;
    slot->end_ns = time_ns;
    draw_slot(board, slot);
}
