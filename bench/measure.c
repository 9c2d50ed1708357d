/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256 * 1024)

double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Does not use getrusage(), whose maximum includes the parent's resident memory at the time of the
 * fork. */
double peak_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    double kb = 0;

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf", &kb) == 1)
            break;
    if (status)
        fclose(status);
    return kb * 1024;
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
    return session_begin_with(folder, "");
}

StrobeSession *session_begin_with(const char *folder, const char *more)
{
    StrobeSession *session = NULL;
    StrobeError *error = NULL;
    char config[8192];
    int n = snprintf(config, sizeof config,
                     "{%s\"exporters\": {}, \"output\": {\"directory\": \"%s\"}%s%s}",
                     strstr(more, "\"collectors\"") ? "" : "\"collectors\": {}, ", folder,
                     *more ? ", " : "", more);

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

double plain_write(const char *folder, double bytes)
{
    static char chunk[CHUNK];
    char path[4096];
    double begin = now_ns();
    int fd;

    if (snprintf(path, sizeof path, "%s/plain", folder) >= (int)sizeof path ||
        (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
        fail(folder, "cannot be written to");
    for (; bytes > 0; bytes -= CHUNK)
        if (write(fd, chunk, CHUNK) != CHUNK)
            fail(path, "cannot be written");
    double spent = now_ns() - begin;
    close(fd);
    unlink(path);
    return spent;
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
