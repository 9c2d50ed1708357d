/* SPDX-License-Identifier: Apache-2.0 */
#include "operator-names.h"

#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#define RECENT 64 /* number of the latest operators of a thread that are stored */
/* maximum number of entries or questions that an operator checks in vain */
#define LOOK_BACK 64
#define ENTRIES_MAX 262144u /* maximum number of queue entries */
/* maximum number of a thread's queue entries whose operator has not ended */
#define OPEN_MAX 4096u
#define WORDS_MAX 65536u

enum { IS_ASYNC, N_OPERATOR };
enum { CORRELATION, IS_DEQUEUE, N_QUEUE };

static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};
static const StrobeWantedField queue_wanted[N_QUEUE] = {
    [CORRELATION] = {"correlation", STROBE_FIELD_LINK},
    [IS_DEQUEUE] = {"is_dequeue", STROBE_FIELD_BOOL},
};

/* Types of operators, by their names. */
enum { WORD_UNREAD, WORD_PLAIN, WORD_SKIPPED, WORD_NODE, WORD_CALL };

typedef struct Span {
    gint64 begin_ns, end_ns;
    gint64 latest_ns; /* latest begin or end of this and all earlier operators */
    StrobeStringId name;
    guint word;
} Span;

typedef struct Question {
    guint64 number;
    gint64 at_ns;
    OperatorAnswer likely; /* the answer, unless a queue entry gives another one */
} Question;

/* An entry of the queue. Its operator is the innermost call into the framework that encloses the
 * operator that had begun last when the entry was enqueued; this operator itself may be that
 * call. */
typedef struct Entry {
    guint64 correlation;
    gint64 end_ns;
    gint64 base_begin_ns;
    /* name of the entry's operator; until it is known, name of a call that had ended before, or
     * 0 */
    StrobeStringId name;
    gboolean is_reported, is_taken;
    /* elements of type guint64: questions that wait for the entry's operator; NULL: none */
    GArray *waiting;
} Entry;

/* An entry whose operator has not ended. */
typedef struct OpenEntry {
    guint64 correlation;
    gint64 end_ns;
} OpenEntry;

typedef struct Thread {
    GArray *questions; /* elements of type Question, sorted by time; questions without an answer */
    GArray *open;      /* elements of type OpenEntry, sorted by end */
    Span recent[RECENT];
    guint n_recent; /* number of operators that were added to `recent` */
    gboolean is_dequeuer;
} Thread;

struct OperatorNames {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    OperatorReported reported;
    void *user;
    StrobeBinder operators, queues;
    GHashTable *threads; /* number of the thread -> Thread */
    /* last: a cache, because successive operators are mostly of the same thread. any: questions
     * that any thread's operator may answer */
    Thread *last, *any;
    guint64 last_number;
    GHashTable *entries; /* correlation -> Entry */
    GHashTable *words;   /* StrobeStringId -> WORD_*, for the first WORDS_MAX names */
};

static void free_thread(gpointer data)
{
    Thread *thread = data;

    g_array_unref(thread->questions);
    g_array_unref(thread->open);
    g_free(thread);
}

static void free_entry(gpointer data)
{
    Entry *entry = data;

    if (entry->waiting)
        g_array_unref(entry->waiting);
    g_free(entry);
}

OperatorNames *operator_names_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  OperatorReported reported, void *user)
{
    OperatorNames *names = g_new0(OperatorNames, 1);

    names->host = host;
    names->self = self;
    names->reported = reported;
    names->user = user;
    names->operators.wanted = operator_wanted;
    names->operators.n_wanted = N_OPERATOR;
    names->queues.wanted = queue_wanted;
    names->queues.n_wanted = N_QUEUE;
    names->threads =
        g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, free_thread);
    names->entries = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, NULL, free_entry);
    names->words = g_hash_table_new(g_direct_hash, g_direct_equal);
    return names;
}

void operator_names_free(OperatorNames *names)
{
    g_hash_table_unref(names->threads);
    g_hash_table_unref(names->entries);
    g_hash_table_unref(names->words);
    g_free(names);
}

static Thread *thread_of(OperatorNames *names, guint64 number)
{
    Thread *thread;

    if (names->last && names->last_number == number)
        return names->last;
    thread = g_hash_table_lookup(names->threads, &number);
    if (!thread) {
        thread = g_new0(Thread, 1);
        thread->questions = g_array_new(FALSE, FALSE, sizeof(Question));
        thread->open = g_array_new(FALSE, FALSE, sizeof(OpenEntry));
        g_hash_table_insert(names->threads, g_memdup2(&number, sizeof number), thread);
        if (number == OPERATOR_NAMES_ANY)
            names->any = thread;
    }
    names->last = thread;
    names->last_number = number;
    return thread;
}

void operator_names_ask(OperatorNames *names, guint64 question, guint64 thread, gint64 at_ns)
{
    const Question asked = {.number = question, .at_ns = at_ns};

    g_array_append_val(thread_of(names, thread)->questions, asked);
}

/* ---- operators ---- */

static guint read_word(const OperatorNames *names, StrobeStringId name)
{
    const char *text = names->host->string(names->self, name).bytes;

    if (!strcmp(text, "empty_tensor") || !strcmp(text, "malloc_workspace"))
        return WORD_SKIPPED;
    if (g_str_has_prefix(text, "autograd::engine::evaluate_function"))
        return WORD_NODE;
    if (g_str_has_prefix(text, "aten") || g_str_has_prefix(text, "npu"))
        return WORD_CALL;
    return WORD_PLAIN;
}

/* Returns the cached property of a name. Further names are read only when a question needs them,
 * because most operators have no question, and reading all texts would touch all of memory. */
static guint known_word(OperatorNames *names, StrobeStringId name)
{
    guint word = GPOINTER_TO_UINT(g_hash_table_lookup(names->words, GUINT_TO_POINTER(name)));

    if (word != WORD_UNREAD || g_hash_table_size(names->words) >= WORDS_MAX)
        return word;
    word = read_word(names, name);
    g_hash_table_insert(names->words, GUINT_TO_POINTER(name), GUINT_TO_POINTER(word));
    return word;
}

static guint word_of(const OperatorNames *names, Span *op)
{
    if (op->word == WORD_UNREAD)
        op->word = read_word(names, op->name);
    return op->word;
}

static void deliver_answer(OperatorNames *names, guint64 question, const OperatorAnswer *answer)
{
    names->reported(names->user, question, answer);
}

/* Answers the questions of a thread whose times are inside the operator. On a thread that runs the
 * queue, only sets their likely answers. */
static void answer_questions(OperatorNames *names, Thread *thread, Span *op)
{
    GArray *questions = thread->questions;
    OperatorAnswer found = {op->name, op->begin_ns, FALSE};
    guint kept = questions->len, n_beyond = 0;

    for (guint i = questions->len; i-- > 0;) {
        Question *question = &g_array_index(questions, Question, i);

        if (question->at_ns < op->begin_ns || n_beyond >= LOOK_BACK)
            break;
        if (question->at_ns > op->end_ns) {
            n_beyond++;
            continue;
        }
        if (word_of(names, op) == WORD_SKIPPED)
            return; /* not earlier, because the name is read only if a question needs it */
        found.is_node = op->word == WORD_NODE;
        if (thread->is_dequeuer) {
            n_beyond++;
            if (!question->likely.name)
                question->likely = found;
        } else {
            deliver_answer(names, question->number, &found);
            question->number = G_MAXUINT64;
            kept = i;
        }
    }
    for (guint i = kept; i < questions->len; i++)
        if (g_array_index(questions, Question, i).number != G_MAXUINT64)
            g_array_index(questions, Question, kept++) = g_array_index(questions, Question, i);
    g_array_set_size(questions, kept);
}

static void tell_entry(OperatorNames *names, Entry *entry, StrobeStringId name)
{
    const OperatorAnswer found = {.name = name};

    entry->name = name;
    entry->is_reported = TRUE;
    for (guint i = 0; entry->waiting && i < entry->waiting->len; i++)
        deliver_answer(names, g_array_index(entry->waiting, guint64, i), &found);
    if (entry->is_taken)
        g_hash_table_remove(names->entries, &entry->correlation);
}

/* Processes an operator that contains the end of an entry. If no call into the framework is known
 * for the entry, or if `op` began later than this call, then `op` is the entry's operator, provided
 * that it is such a call. If the operator is now known, answers the waiting questions and returns
 * TRUE. */
static gboolean resolve_entry(OperatorNames *names, Entry *entry, Span *op)
{
    if (op->begin_ns > entry->base_begin_ns) {
        entry->base_begin_ns = op->begin_ns;
        entry->name = 0;
    }
    if (!entry->name && word_of(names, op) != WORD_CALL)
        return FALSE;
    tell_entry(names, entry, entry->name ? entry->name : op->name);
    return TRUE;
}

static void settle_entries(OperatorNames *names, Thread *thread, Span *op)
{
    guint n_looked = 0;

    for (guint i = thread->open->len; i-- > 0 && n_looked < LOOK_BACK; n_looked++) {
        const OpenEntry open = g_array_index(thread->open, OpenEntry, i);
        Entry *entry;

        if (open.end_ns < op->begin_ns)
            break;
        if (open.end_ns > op->end_ns)
            continue;
        if (word_of(names, op) == WORD_SKIPPED)
            return;
        entry = g_hash_table_lookup(names->entries, &open.correlation);
        if (!entry || resolve_entry(names, entry, op))
            g_array_remove_index(thread->open, i);
    }
}

void operator_names_operator(OperatorNames *names, const StrobeView *record, guint64 number)
{
    const uint32_t *at = strobe_binder_offsets(&names->operators, record->kind);
    Thread *thread = thread_of(names, number);
    Span op = {.begin_ns = record->begin_ns, .end_ns = record->end_ns, .name = record->name};

    if (strobe_field_u8(record, at[IS_ASYNC], 0))
        return;
    op.word = known_word(names, op.name);
    if (op.word == WORD_SKIPPED)
        return;
    if (names->any)
        answer_questions(names, names->any, &op);
    answer_questions(names, thread, &op);
    settle_entries(names, thread, &op);
    op.latest_ns =
        thread->n_recent ? thread->recent[(thread->n_recent - 1) % RECENT].latest_ns : G_MININT64;
    op.latest_ns = MAX(op.latest_ns, MAX(op.begin_ns, op.end_ns));
    thread->recent[thread->n_recent++ % RECENT] = op;
}

/* ---- the queue ---- */

/* Searches the operators that have ended for the one that began last. Sets base_begin_ns to its
 * begin, and the name of the entry to that of the innermost call into the framework that is or
 * encloses this operator. The search stops at an operator that had ended, like all earlier ones,
 * before the one found so far began. */
static void look_back(const OperatorNames *names, Thread *thread, Entry *entry)
{
    guint first = thread->n_recent > RECENT ? thread->n_recent - RECENT : 0;
    const Span *base = NULL;
    guint base_at = 0;

    entry->base_begin_ns = G_MININT64;
    for (guint i = thread->n_recent; i-- > first;) {
        Span *op = &thread->recent[i % RECENT];

        if (base && op->latest_ns < base->begin_ns)
            break;
        if (word_of(names, op) != WORD_SKIPPED && op->begin_ns <= entry->end_ns &&
            (!base || op->begin_ns >= base->begin_ns)) {
            base = op;
            base_at = i;
        }
    }
    if (base)
        entry->base_begin_ns = base->begin_ns;
    for (guint i = base_at; base && i < thread->n_recent && !entry->name; i++) {
        const Span *op = &thread->recent[i % RECENT];

        if (op->begin_ns <= base->begin_ns && op->end_ns >= base->end_ns && op->word == WORD_CALL)
            entry->name = op->name;
    }
}

static gboolean is_reported(gpointer key, gpointer value, gpointer unused)
{
    return ((const Entry *)value)->is_reported;
}

static void enqueue_entry(OperatorNames *names, Thread *thread, guint64 correlation, gint64 end_ns)
{
    const OpenEntry open = {correlation, end_ns};
    Entry *entry;

    /* First drops the entries whose operator is known, but whose dequeue never came. */
    if (g_hash_table_size(names->entries) >= ENTRIES_MAX)
        g_hash_table_foreach_remove(names->entries, is_reported, NULL);
    if (g_hash_table_size(names->entries) >= ENTRIES_MAX ||
        g_hash_table_contains(names->entries, &correlation))
        return;
    if (thread->open->len >= OPEN_MAX)
        g_array_remove_range(thread->open, 0, OPEN_MAX / 2);
    entry = g_new0(Entry, 1);
    entry->correlation = correlation;
    entry->end_ns = end_ns;
    look_back(names, thread, entry);
    g_hash_table_insert(names->entries, &entry->correlation, entry);
    g_array_append_val(thread->open, open);
}

static void ask_entry(OperatorNames *names, guint64 correlation, guint64 question)
{
    Entry *entry = g_hash_table_lookup(names->entries, &correlation);
    const OperatorAnswer found = {.name = entry ? entry->name : 0};

    if (!entry || entry->is_reported) {
        deliver_answer(names, question, &found);
        return;
    }
    if (!entry->waiting)
        entry->waiting = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_array_append_val(entry->waiting, question);
}

/* Processes the run of an entry on the thread that runs the queue. Questions inside the run wait
 * for the entry's operator. Earlier questions are outside of every entry, so they get their likely
 * answer. */
static void dequeue_entry(OperatorNames *names, Thread *thread, guint64 correlation,
                          const StrobeView *record)
{
    GArray *questions = thread->questions;
    Entry *entry = g_hash_table_lookup(names->entries, &correlation);
    guint kept = questions->len - MIN(questions->len, OPEN_MAX);

    thread->is_dequeuer = TRUE;
    for (guint i = kept; i < questions->len; i++) {
        const Question question = g_array_index(questions, Question, i);

        if (question.at_ns >= record->begin_ns && question.at_ns < record->end_ns)
            ask_entry(names, correlation, question.number);
        else if (question.at_ns < record->begin_ns && question.likely.name)
            deliver_answer(names, question.number, &question.likely);
        else
            g_array_index(questions, Question, kept++) = question;
    }
    g_array_set_size(questions, kept);
    if (!entry)
        return;
    entry->is_taken = TRUE;
    if (entry->is_reported)
        g_hash_table_remove(names->entries, &correlation);
}

void operator_names_queue(OperatorNames *names, const StrobeView *record, guint64 number)
{
    const uint32_t *at = strobe_binder_offsets(&names->queues, record->kind);
    guint64 correlation = strobe_field_u64(record, at[CORRELATION], STROBE_ABSENT_U64);
    Thread *thread = thread_of(names, number);

    if (correlation == STROBE_ABSENT_U64)
        return;
    if (strobe_field_u8(record, at[IS_DEQUEUE], 0))
        dequeue_entry(names, thread, correlation, record);
    else
        enqueue_entry(names, thread, correlation, record->end_ns);
}

void operator_names_finish(OperatorNames *names)
{
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, names->threads);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        GArray *questions = ((Thread *)value)->questions;

        for (guint i = 0; i < questions->len; i++) {
            const Question *question = &g_array_index(questions, Question, i);

            if (question->likely.name)
                deliver_answer(names, question->number, &question->likely);
        }
        g_array_set_size(questions, 0);
    }
}
