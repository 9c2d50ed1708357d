// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/strobe.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_MARKS 1000

static StrobeSession *session;

void make_marks(void)
{
    for (int i = 0; i < N_MARKS; i++)
        strobe_mark("case");
}

void check(int is_good, const char *what)
{
    if (is_good)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(90);
}

void run_in_child(const char *what, void (*function)(void))
{
    int status;

    fflush(stdout);
    pid_t pid = fork();
    check(pid >= 0, "fork");
    if (pid == 0) {
        function();
        fflush(stdout);
        _exit(3);
    }
    check(waitpid(pid, &status, 0) == pid, "waitpid");
    printf("%s: exit code %d, signal %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static const struct program_case *find_case(const char *name)
{
    const struct program_case *const tables[] = {process_cases, limit_cases, right_cases,
                                                 filter_cases};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct program_case *each = tables[i]; each->name; each++)
            if (strcmp(each->name, name) == 0)
                return each;
    return NULL;
}

/* If COMPAT_SESSION has a configuration, the program opens its own session. */
static void open_session(void)
{
    const char *config = getenv("COMPAT_SESSION");
    StrobeError *error = NULL;

    if (config && strobe_session_new(config, "COMPAT_SESSION", &session, &error) == STROBE_OK)
        strobe_session_start(session, &error);
    if (error)
        fprintf(stderr, "strobe: %s\n", strobe_error_message(error));
    strobe_error_free(error);
}

static void close_session(void)
{
    StrobeError *error = NULL;

    if (session && strobe_session_stop(session, &error) != STROBE_OK)
        fprintf(stderr, "strobe: %s\n", strobe_error_message(error));
    strobe_error_free(error);
    strobe_session_free(session);
}

int main(int argc, char **argv)
{
    const struct program_case *chosen = argc > 1 ? find_case(argv[1]) : NULL;

    if (!chosen) {
        fprintf(stderr, "usage: %s CASE [ARGUMENT...]\n", argv[0]);
        return 91;
    }
    open_session();
    int code = chosen->run(argc - 2, argv + 2);
    close_session();
    return code;
}
