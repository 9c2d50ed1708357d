/* SPDX-License-Identifier: Apache-2.0 */
/* What passes derive reaches those who want it, who are told when no more will come. */
#include "derivation.h"

#include <string.h>
#include "made-capture.h"
#include "support.h"

#define RECORDS 30000 /* of a kind: more than one piece */

/* What the passes of a test derive of each kind, the first and those behind it; how many those are;
 * how long an exporter thinks of a batch; and whether that is the caller's own, or the passes want
 * what the first derives: these may intern. */
typedef struct Plan {
    guint n_records[2], n_behind, pause_us;
    gboolean is_of_caller, is_chain;
} Plan;

static const Plan two_passes = {{RECORDS, RECORDS}, 1, 0, FALSE, FALSE};
static const Plan *plan = &two_passes;

/* Of one exporter: letters of what it got, one for any number of records of a kind. */
typedef struct Story {
    GString *text;
    guint n[128];              /* records by letter */
    gboolean interns_alone[2]; /* of the first passes */
} Story;

static Story *story_now;

typedef struct Pass {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    guint number;
} Pass;

static StrobeStatus open_numbered(const StrobeConsumerHost *host, StrobeInstance *self,
                                  guint number, void **state)
{
    Pass *pass = g_new0(Pass, 1);

    *pass = (Pass){host, self, number};
    *state = pass;
    return STROBE_OK;
}

static StrobeStatus open_first(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    return open_numbered(host, self, 0, state);
}

static StrobeStatus open_second(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    return open_numbered(host, self, 1, state);
}

static StrobeStatus take_nothing(void *state, const StrobeView *records, size_t n)
{
    return STROBE_OK;
}

/* Two kinds in turn, every third record marked. */
static StrobeStatus pass_end(void *state)
{
    Pass *pass = state;

    for (guint i = 0; i < 2 * plan->n_records[pass->number]; i++) {
        guint64 *fields = pass->host->emit(pass->self, i % 2, 0, 0, i, i);

        g_assert_nonnull(fields);
        g_assert_cmpuint(*fields, ==, 0);
        *fields = i;
        if (i % 3 == 0)
            pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    }
    g_usleep(20 * plan->pause_us); /* the next one begins at another moment */
    return STROBE_OK;
}

static StrobeStatus exporter_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                  void **state)
{
    *state = NULL;
    return STROBE_OK;
}

static void tell(char letter)
{
    GString *text = story_now->text;

    if (text->len == 0 || text->str[text->len - 1] != letter)
        g_string_append_c(text, letter);
}

static StrobeStatus exporter_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char letter = *records[i].kind->name;

        tell(letter);
        g_assert_cmpint(records[i].begin_ns, ==, (int64_t)strobe_view_u64(&records[i], 0));
        story_now->n[(guint)letter]++;
    }
    g_usleep(plan->pause_us);
    return STROBE_OK;
}

static StrobeStatus exporter_left(void *state, const char *const *kinds)
{
    tell('(');
    for (; *kinds; kinds++)
        tell(**kinds);
    tell(')');
    return STROBE_OK;
}

static StrobeStatus finish(void *state)
{
    return STROBE_OK;
}

static void close_it(void *state)
{
    g_free(state);
}

#define OPS(open_, batch_, end_, ...)                                                              \
    {.struct_size = sizeof(StrobeConsumerOps),                                                     \
     .open = open_,                                                                                \
     .batch = batch_,                                                                              \
     .end = end_,                                                                                  \
     .close = close_it,                                                                            \
     __VA_ARGS__}
static const StrobeConsumerOps pass_ops[] = {OPS(open_first, take_nothing, pass_end, ),
                                             OPS(open_second, take_nothing, pass_end, )};
static const StrobeConsumerOps exporter_ops =
    OPS(exporter_open, exporter_batch, finish, .kinds_left = exporter_left);

static const StrobeField fields[] = {{"a", STROBE_FIELD_U64, 0, "", ""}};
#define KIND(name_)                                                                                \
    {.struct_size = sizeof(StrobeKind),                                                            \
     .shape = STROBE_SHAPE_SPAN,                                                                   \
     .name = name_,                                                                                \
     .summary = "",                                                                                \
     .fields = fields,                                                                             \
     .n_fields = G_N_ELEMENTS(fields)}
static const StrobeKind a = KIND("a"), b = KIND("b"), c = KIND("c"), d = KIND("d");
static const StrobeKind *const kinds[][2] = {{&a, &b}, {&c, &d}};
static const char *const nothing[] = {NULL}, *const of_first[] = {"a", NULL};

static StrobeComponent pass_component(guint i)
{
    return (StrobeComponent){.struct_size = sizeof(StrobeComponent),
                             .type = STROBE_COMPONENT_PASS,
                             .name = i ? "second" : "first",
                             .ops = &pass_ops[i],
                             .wants = i && plan->is_chain ? of_first : nothing,
                             .kinds = kinds[i],
                             .n_kinds = 2};
}

static StrobeConsumer *opened(const StrobeComponent *component, StrobeReader *reader,
                              const StrobeFacts *facts, StrobeGaps *gaps)
{
    g_autoptr(GError) error = NULL;
    StrobeConsumer *consumer = strobe_consumer_new(component, NULL, &error);

    g_assert_no_error(error);
    strobe_consumer_open(consumer, reader, facts, gaps);
    g_assert_true(consumer->is_open);
    return consumer;
}

static void check_counts(const StrobeConsumer *pass, guint n)
{
    for (guint k = 0; k < 2; k++) {
        g_assert_cmpuint(pass->counts[k].n, ==, n);
        g_assert_cmpuint(pass->counts[k].n_incomplete, ==, n / 3);
    }
}

/* One exporter that wants these. */
static char *story_of(const char *const *wants, Story *story)
{
    const StrobeComponent first = pass_component(0), second = pass_component(1);
    const StrobeComponent exporter = {.struct_size = sizeof exporter,
                                      .type = STROBE_COMPONENT_EXPORTER,
                                      .name = "exporter",
                                      .ops = &exporter_ops,
                                      .wants = wants};
    const StrobeFacts facts = {.struct_size = sizeof facts};
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    g_autoptr(GPtrArray) passes = g_ptr_array_new_with_free_func(strobe_consumer_free);
    g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func(strobe_consumer_free);
    g_autoptr(GError) error = NULL;
    StrobeGaps *gaps = strobe_gaps_new();

    *story = (Story){.text = g_string_new(NULL)};
    story_now = story;
    made_capture_load(path, 100);
    StrobeReader *reader = strobe_reader_open(path, &error);
    g_assert_no_error(error);
    g_ptr_array_add(passes, opened(&first, reader, &facts, gaps));
    for (guint i = 0; i < plan->n_behind; i++)
        g_ptr_array_add(passes, opened(&second, reader, &facts, gaps));
    g_ptr_array_add(others, opened(&exporter, reader, &facts, gaps));
    ((StrobeConsumer *)others->pdata[0])->is_of_caller = plan->is_of_caller;
    StrobeConsumers *consumers = strobe_consumers_new(passes, others);
    strobe_derive(reader, gaps, consumers, passes, others, NULL, NULL);
    for (guint i = 0; i < passes->len; i++)
        check_counts(g_ptr_array_index(passes, i), plan->n_records[i > 0]);
    for (guint i = 0; i < 2; i++)
        story->interns_alone[i] = ((StrobeConsumer *)passes->pdata[i])->interns_alone;
    strobe_consumers_free(consumers);
    strobe_gaps_free(gaps);
    g_ptr_array_set_size(others, 0);
    g_ptr_array_set_size(passes, 0);
    strobe_reader_free(reader);
    scratch_remove(folder);
    return g_string_free(story->text, FALSE);
}

/* Told before anything was derived, and when no more of some comes; not that nothing is left. */
static void test_kinds_left(void)
{
    static const char *const wants[] = {"*", "b", "d", "c", NULL};
    Story story;
    g_autofree char *text = story_of(wants, &story);

    g_assert_true(g_str_has_prefix(text, "(bcd)b(cd)cd"));
    g_assert_null(strchr(text + strlen("(bcd)b(cd)"), '('));
    g_assert_cmpuint(story.n['a'], ==, 0);
    g_assert_cmpuint(story.n['b'], ==, RECORDS);
    g_assert_cmpuint(story.n['c'], ==, RECORDS);
    g_assert_cmpuint(story.n['d'], ==, RECORDS);
}

/* A pass of which it wants nothing is no news. */
static void test_no_news(void)
{
    static const char *const last[] = {"d", NULL}, *const none[] = {"*", NULL};
    Story story;
    g_autofree char *text = story_of(last, &story), *other = NULL;

    g_assert_cmpstr(text, ==, "(d)d");
    g_assert_cmpuint(story.n['d'], ==, RECORDS);
    other = story_of(none, &story);
    g_assert_cmpstr(other, ==, "");
}

/* Who takes a pass's records may intern, if it is a pass or the caller's own. */
static void test_who_interns(void)
{
    static const Plan plans[] = {{{12, 12}, 1, 0, FALSE, FALSE},
                                 {{12, 12}, 1, 0, TRUE, FALSE},
                                 {{12, 12}, 1, 0, FALSE, TRUE}};
    static const char *const wants[] = {"b", NULL};
    Story story;

    for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
        plan = &plans[i];
        g_free(story_of(wants, &story));
        g_assert_cmpint(story.interns_alone[0], ==, i == 0);
        g_assert_true(story.interns_alone[1]);
    }
    plan = &two_passes;
}

/* Passes begin to end while others look at what the first derives; for ThreadSanitizer. */
static void test_many_passes(void)
{
    static const Plan many_passes = {{300000, 12}, 100, 60, FALSE, FALSE};
    static const char *const wants[] = {"a", "b", "c", "d", NULL};
    Story story;

    plan = &many_passes;
    g_free(story_of(wants, &story));
    plan = &two_passes;
    g_assert_cmpuint(story.n['a'], ==, many_passes.n_records[0]);
    g_assert_cmpuint(story.n['d'], ==, many_passes.n_records[1] * many_passes.n_behind);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/derivation/kinds-left", test_kinds_left);
    g_test_add_func("/derivation/no-news", test_no_news);
    g_test_add_func("/derivation/who-interns", test_who_interns);
    g_test_add_func("/derivation/many-passes", test_many_passes);
    return g_test_run();
}
