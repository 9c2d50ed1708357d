/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

long number_argument(int argc, char **argv, int index, long otherwise)
{
    char *end;
    long value;

    if (index >= argc)
        return otherwise;
    value = strtol(argv[index], &end, 10);
    if (*end || value <= 0)
        fail(argv[index], "expected a positive number");
    return value;
}

StrobeSession *session_begin(const char *folder)
{
    StrobeSession *session = NULL;
    StrobeError *error = NULL;
    char config[8192];
    int n = snprintf(config, sizeof config,
                     "{\"collectors\": {}, \"exporters\": {}, \"output\": {\"directory\": \"%s\"}}",
                     folder);

    if (n < 0 || (size_t)n >= sizeof config)
        fail(folder, "the name is too long");
    if (strobe_session_new(config, "bench", &session, &error) ||
        strobe_session_start(session, &error))
        fail("session", strobe_error_message(error));
    return session;
}

double session_stop(StrobeSession *session)
{
    StrobeError *error = NULL;
    double begin = now_ns();

    if (strobe_session_stop(session, &error))
        fail("session", strobe_error_message(error));
    return now_ns() - begin;
}

void samples_add(Samples *samples, double value)
{
    if (samples->n < sizeof samples->values / sizeof *samples->values)
        samples->values[samples->n++] = value;
}

void samples_print(const Samples *samples)
{
    printf("{\"name\": \"%s\", \"samples\": [", samples->name);
    for (unsigned i = 0; i < samples->n; i++)
        printf("%s%.9g", i ? ", " : "", samples->values[i]);
    printf("]}\n");
}
