/* SPDX-License-Identifier: Apache-2.0 */
#include "comm-tasks.h"

#include <strobe/helpers/keyed-hash.h>

const char *const comm_transport_names[N_TRANSPORTS] = {"RDMA", "HCCS", "PCIE", "SDMA", "SIO"};

/* Number of tasks that end a transfer of successive payloads, in point-to-point operations and in
 * other operations. The last payload is one of them. */
#define CLOSING_P2P 3u
#define CLOSING_COLLECTIVE 5u
#define NO_OWNER G_MAXUINT /* no operation has this index */

static gint compare_ops(gconstpointer a, gconstpointer b)
{
    const CommOp *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static gint compare_tasks(gconstpointer a, gconstpointer b)
{
    const CommTask *x = a, *y = b;

    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    if (x->plane != y->plane)
        return x->plane < y->plane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Returns the largest of `numbers` that is not greater than `number`: the number of the group to
 * which the track belongs. In a trace, the tracks of a group's planes have the numbers after the
 * group's own number. */
static guint64 group_number(const GArray *numbers, guint64 number)
{
    guint64 best = G_MAXUINT64;

    for (guint i = 0; i < numbers->len; i++) {
        guint64 next = g_array_index(numbers, guint64, i);

        if (next <= number && (best == G_MAXUINT64 || next > best))
            best = next;
    }
    return best;
}

static GArray *numbers_of(const GArray *ops)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));

    for (guint i = 0; i < ops->len; i++) {
        guint64 number = g_array_index(ops, CommOp, i).number;
        guint k = 0;

        while (k < numbers->len && g_array_index(numbers, guint64, k) != number)
            k++;
        if (k == numbers->len)
            g_array_append_val(numbers, number);
    }
    return numbers;
}

/* Finds the operation of a task by time. The operations of a group do not overlap, so this is the
 * last operation that begins no later than the task. Returns NULL if there is none, or it ends
 * before the task begins. */
static CommOp *op_by_time(GArray *ops, const GArray *numbers, const CommTask *task)
{
    guint64 number = group_number(numbers, task->number);
    guint low = 0, high = ops->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(ops, CommOp, middle).begin_ns <= task->begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0; low--) {
        CommOp *op = &g_array_index(ops, CommOp, low - 1);

        if (op->device == task->device && op->number == number)
            return task->begin_ns <= op->end_ns ? op : NULL;
    }
    return NULL;
}

static void find_owners(GArray *ops, StrobeStateArray *tasks)
{
    g_autoptr(GArray) numbers = numbers_of(ops);
    g_autoptr(GHashTable) by_id = g_hash_table_new(strobe_hash_of_number, g_int64_equal);

    for (guint i = 0; i < ops->len; i++) {
        CommOp *op = &g_array_index(ops, CommOp, i);

        if (op->op != G_MAXUINT64)
            g_hash_table_insert(by_id, &op->op, op);
    }
    for (gsize i = 0; i < tasks->n; i++) {
        CommTask *task = &STROBE_STATE_ITEM(tasks, CommTask, i);
        const CommOp *op = task->op == G_MAXUINT64 ? NULL : g_hash_table_lookup(by_id, &task->op);

        if (!op)
            op = op_by_time(ops, numbers, task);
        task->owner = op ? (guint)(op - (const CommOp *)(void *)ops->data) : NO_OWNER;
    }
}

void comm_tasks_assign(GArray *ops, StrobeStateArray *tasks)
{
    g_array_sort(ops, compare_ops);
    find_owners(ops, tasks);
    strobe_state_array_sort(tasks, compare_tasks);
    for (gsize i = 0; i < tasks->n; i++) {
        const CommTask *task = &STROBE_STATE_ITEM(tasks, CommTask, i);
        CommOp *op;

        if (task->owner == NO_OWNER)
            break; /* NO_OWNER is the greatest number, so no later task has an owner */
        op = &g_array_index(ops, CommOp, task->owner);
        if (!op->n_tasks++)
            op->tasks = task;
    }
}

/* Finds a transfer of successive payloads in one plane. The tasks that end the transfer must follow
 * the payloads. */
static gboolean payloads_at(const CommOp *op, guint at, gboolean is_p2p, CommTransfer *transfer,
                            guint *next)
{
    const CommTask *first = &op->tasks[at], *last;
    guint closing = is_p2p ? CLOSING_P2P : CLOSING_COLLECTIVE, n = 0;
    guint64 size = 0;

    while (at + n < op->n_tasks && first[n].plane == first->plane && first[n].type == TASK_PAYLOAD)
        size += first[n++].size;
    *next = at + n;
    /* The transfer has n + closing - 1 tasks, because the last payload is also the first of the
     * tasks that end it. */
    if (at + n + closing - 2 >= op->n_tasks)
        return FALSE;
    last = &first[n + closing - 2];
    if (last->plane != first->plane)
        return FALSE;
    *next = at + n + closing - 1;
    *transfer =
        (CommTransfer){(double)(last->begin_ns - first->begin_ns) / 1000.0 + last->us, size, first};
    return TRUE;
}

gboolean comm_transfer_at(const CommOp *op, guint at, gboolean is_p2p, CommTransfer *transfer,
                          guint *next)
{
    const CommTask *task = &op->tasks[at];

    *next = at + 1;
    if (task->type == TASK_PAYLOAD)
        return payloads_at(op, at, is_p2p, transfer, next);
    if (task->type != TASK_COPY)
        return FALSE;
    *transfer = (CommTransfer){task->us, task->size, task};
    return TRUE;
}
