/* SPDX-License-Identifier: Apache-2.0 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal.h"
#include "text-style.h"

static GPid pager; /* 0: none */
static int terminal = -1;

/* Returns the pager's command line for the shell. NULL: the user wants no pager, or it is not
 * installed. */
static const char *pager_command(void)
{
    const char *chosen = g_getenv("PAGER");
    g_autofree char *less = chosen ? NULL : g_find_program_in_path("less");

    if (!chosen)
        return less ? "less" : NULL;
    return *chosen && strcmp(chosen, "cat") != 0 ? chosen : NULL;
}

static gboolean start_pager(const char *command, int input)
{
    const char *const words[] = {"/bin/sh", "-c", command, NULL};
    g_auto(GStrv) environment = g_get_environ();

    environment = g_environ_setenv(environment, "LESS", "FRX", FALSE);
    return g_spawn_async_with_fds(NULL, (char **)words, environment, G_SPAWN_DO_NOT_REAP_CHILD,
                                  NULL, NULL, &pager, input, -1, -1, NULL);
}

/* Ignores the signals of the terminal's keys while the pager runs. The pager handles them, and this
 * command must end after the pager. */
static void leave_keys_to_pager(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

void strobe_pager_begin(void)
{
    const char *command = pager || !strobe_terminal_is_able() ? NULL : pager_command();
    int ends[2];

    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(stdout);
    strobe_grid_keep_width(stdout);
    terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (terminal >= 0 && start_pager(command, ends[0]) && dup2(ends[1], STDOUT_FILENO) >= 0)
        leave_keys_to_pager();
    close(ends[0]);
    close(ends[1]);
}

void strobe_pager_end(void)
{
    if (!pager)
        return;
    /* EPIPE is no error: the user may quit the pager before all output has been read. */
    if (fflush(stdout) != 0 && errno == EPIPE)
        clearerr(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        ;
    g_spawn_close_pid(pager);
    pager = 0;
}

gboolean strobe_pager_is_on(void)
{
    return pager != 0;
}
