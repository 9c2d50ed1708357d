/* SPDX-License-Identifier: Apache-2.0 */
#include "board-plan.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "board-report.h"

#define DEFAULT_POOL_BYTES ((int64_t)8 << 20)
#define DEFAULT_FLUSH_NS 1000000000

static const struct option words[] = {
    {"folder", required_argument, NULL, 'f'},    {"metadata", required_argument, NULL, 'm'},
    {"pool", required_argument, NULL, 'p'},      {"flush", required_argument, NULL, 'i'},
    {"sync", required_argument, NULL, 's'},      {"marks", required_argument, NULL, 'k'},
    {"block", no_argument, NULL, 'b'},           {"collect", required_argument, NULL, 'c'},
    {"option", required_argument, NULL, 'o'},    {"required", no_argument, NULL, 'r'},
    {"otherwise", required_argument, NULL, 'e'}, {NULL, 0, NULL, 0}};

static int refuse_argument(const char *name, const char *value, const char *why)
{
    board_report("strobe-board-run: --%s=%s: %s", name, value, why);
    return 0;
}

/* Ends the text "NAME=VALUE" at the '=', and returns VALUE. NULL: there is no '='. */
static char *cut_pair(char *text)
{
    char *equals = strchr(text, '=');

    if (equals)
        *equals++ = 0;
    return equals;
}

static int add_collector(BoardPlan *plan, char *text)
{
    char *library = cut_pair(text);

    if (!library || plan->n_collectors == BOARD_COLLECTORS_MAX)
        return refuse_argument("collect", text, library ? "too many" : "expected NAME=LIBRARY");
    plan->collectors[plan->n_collectors++] = (BoardCollector){.name = text, .library = library};
    return 1;
}

static int add_option(BoardCollector *c, char *text)
{
    char *value = cut_pair(text);

    if (!c || !value || c->n_options == BOARD_OPTIONS_MAX)
        return refuse_argument("option", text, "expected NAME=VALUE after --collect");
    c->options[c->n_options] = text;
    c->values[c->n_options++] = value;
    return 1;
}

static int take_number(const char *name, const char *text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    return (!errno && end != text && !*end && *number >= 0) ||
           refuse_argument(name, text, "expected a number");
}

static int take_argument(BoardPlan *plan, int word, char *value)
{
    BoardCollector *c = plan->n_collectors ? &plan->collectors[plan->n_collectors - 1] : NULL;
    int64_t number = 0;

    switch (word) {
    case 'f':
        plan->folder = value;
        return 1;
    case 'm':
        plan->metadata = value;
        return value[0] == '{' || refuse_argument("metadata", value, "expected a JSON object");
    case 'p':
        return take_number("pool", value, &plan->pool_bytes);
    case 'i':
        return take_number("flush", value, &plan->flush_ns);
    case 's':
        plan->sync = take_number("sync", value, &number) ? (unsigned)number : 0;
        return 1;
    case 'k':
        plan->marks = value;
        return 1;
    case 'b':
        plan->blocks = 1;
        return 1;
    case 'c':
        return add_collector(plan, value);
    case 'o':
        return add_option(c, value);
    case 'r':
        return c ? c->is_required = 1 : refuse_argument("required", "", "expected after --collect");
    case 'e':
        return c ? (c->fallback = value, 1)
                 : refuse_argument("otherwise", value, "expected after --collect");
    default:
        return 0;
    }
}

static void number_collectors(BoardPlan *plan)
{
    for (unsigned i = 0; i < plan->n_collectors; i++) {
        plan->collectors[i].number = i + 1;
        plan->collectors[i].first = plan->collectors;
        plan->collectors[i].n_all = plan->n_collectors;
        plan->collectors[i].directory = plan->folder;
    }
}

int board_plan_read(BoardPlan *plan, int argc, char **argv)
{
    int word;

    *plan = (BoardPlan){.pool_bytes = DEFAULT_POOL_BYTES, .flush_ns = DEFAULT_FLUSH_NS};
    while ((word = getopt_long(argc, argv, "+", words, NULL)) != -1)
        if (!take_argument(plan, word, optarg))
            return 0;
    if (!plan->folder || !plan->metadata || optind >= argc) {
        board_report("Usage: strobe-board-run --folder=DIR --metadata=JSON [--pool=BYTES] "
                     "[--flush=NS] [--sync=N] [--block] [--marks=DIR] [--collect=NAME=LIBRARY "
                     "[--option=NAME=VALUE...] [--required] [--otherwise=NAME=VALUE]...] -- "
                     "PROGRAM [ARGUMENT...]");
        return 0;
    }
    plan->command = argv + optind;
    number_collectors(plan);
    return 1;
}
