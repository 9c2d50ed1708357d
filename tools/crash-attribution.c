/* SPDX-License-Identifier: Apache-2.0 */
#include "crash-attribution.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "component-call.h"
#include "signal-cleanup.h"
#include "registry.h"

/* maximum time for the clean-up, which hangs if the heap was locked at the time of the fault */
#define CLEANING_S 10u
#define STACK_BYTES (64u * 1024)

static atomic_int fault; /* signal of the first fault, 0: none yet */

typedef struct Line {
    char text[512];
    size_t n;
} Line;

/* Appends a text. Must be async-signal-safe, so it does not use stdio. */
static void append_text(Line *line, const char *text)
{
    size_t n = strlen(text), left = sizeof line->text - line->n;

    memcpy(line->text + line->n, text, n < left ? n : left);
    line->n += n < left ? n : left;
}

static void print_crash(const StrobeComponentCall *call, int number)
{
    const char *description = sigdescr_np(number);
    Line line = {.n = 0};

    append_text(&line, "strobe: The ");
    append_text(&line, strobe_component_type_name(call->component->type));
    append_text(&line, " \"");
    append_text(&line, call->component->name);
    append_text(&line, "\" crashed in its call \"");
    append_text(&line, call->call);
    append_text(&line, "\": ");
    append_text(&line, description ? description : "a signal");
    append_text(&line, "\n");
    if (write(STDERR_FILENO, line.text, line.n) < 0)
        return; /* the message cannot be printed */
}

static void give_up_cleaning(int number)
{
    (void)number;
    signal(fault, SIG_DFL);
    kill(getpid(), fault);
}

static void run_cleanup(void)
{
    sigset_t alarms;

    signal(SIGALRM, give_up_cleaning);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(CLEANING_S);
    strobe_signal_cleanup_abandon();
    alarm(0);
}

/* Reports the fault, and raises the signal again with its default action. The signal ends the
 * process when the handler returns, so that a core file shows the place of the fault. */
static void on_fault(int number)
{
    const StrobeComponentCall *call = strobe_component_call_present();
    int none = 0;

    if (call) {
        while (!atomic_compare_exchange_strong(&fault, &none, number))
            pause(); /* the thread of the first fault reports it and ends the process */
        print_crash(call, number);
        run_cleanup();
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void on_exit_within(void)
{
    const StrobeComponentCall *call = strobe_component_call_present();

    if (!call)
        return;
    strobe_complain("The %s \"%s\" ended the process by exit() in its call \"%s\"",
                    strobe_component_type_name(call->component->type), call->component->name,
                    call->call);
    strobe_signal_cleanup_abandon();
    _exit(STROBE_EXIT_PLUGIN);
}

/* Gives the main thread a separate stack for the handler, in case the thread's own stack is full.
 * In other threads the handler runs on the thread's own stack. */
static void make_stack(void)
{
    static char memory[STACK_BYTES];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};

    sigaltstack(&stack, NULL);
}

void strobe_crash_attribution_begin(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};

    make_stack();
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
    atexit(on_exit_within);
}
