/* SPDX-License-Identifier: Apache-2.0 */
/* What passes and exporters may ask of their host. */
#include <string.h>
#include "consumer.h"
#include "made-capture.h"
#include "support.h"

typedef struct Asked {
    StrobeStringId text;
    StrobeStackId stack;
} Asked;

static Asked asked;

static StrobeStatus ask(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    const StrobeStringId frames[] = {1, 2};

    *state = NULL;
    asked.text = host->intern(self, "a new text", 10);
    asked.stack = host->stack(self, frames, 2);
    return STROBE_OK;
}

static StrobeStatus take(void *state, const StrobeView *records, size_t n)
{
    return STROBE_OK;
}

static StrobeStatus finish(void *state)
{
    return STROBE_OK;
}

static void close_it(void *state)
{
}

static const StrobeConsumerOps ops = {
    .struct_size = sizeof ops, .open = ask, .batch = take, .end = finish, .close = close_it};
static const char *const wants[] = {"*", NULL};

static Asked ask_as(guint32 type, gboolean is_of_caller)
{
    const StrobeComponent component = {.struct_size = sizeof component,
                                       .type = type,
                                       .name = "asking",
                                       .ops = &ops,
                                       .wants = wants};
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    g_autoptr(GError) error = NULL;
    StrobeFacts facts = {.struct_size = sizeof facts};

    made_capture_load(path, 100);
    StrobeReader *reader = strobe_reader_open(path, &error);
    g_assert_no_error(error);
    StrobeConsumer *consumer = strobe_consumer_new(&component, NULL, &error);
    g_assert_no_error(error);
    consumer->is_of_caller = is_of_caller;
    memset(&asked, 0xff, sizeof asked);
    strobe_consumer_open(consumer, reader, &facts, NULL);
    g_assert_true(consumer->is_open);
    strobe_consumer_free(consumer);
    strobe_reader_free(reader);
    scratch_remove(folder);
    return asked;
}

/* Exporters are called side by side, and beside the passes: they must not write the strings. */
static void test_intern(void)
{
    Asked pass = ask_as(STROBE_COMPONENT_PASS, FALSE);
    Asked own = ask_as(STROBE_COMPONENT_EXPORTER, TRUE);
    Asked exporter = ask_as(STROBE_COMPONENT_EXPORTER, FALSE);

    g_assert_cmpuint(pass.text, !=, 0);
    g_assert_cmpuint(pass.stack, !=, 0);
    g_assert_cmpuint(own.text, !=, 0);
    g_assert_cmpuint(own.stack, !=, 0);
    g_assert_cmpuint(exporter.text, ==, 0);
    g_assert_cmpuint(exporter.stack, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/consumer/intern", test_intern);
    return g_test_run();
}
