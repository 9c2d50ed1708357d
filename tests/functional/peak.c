/* SPDX-License-Identifier: Apache-2.0 */
/* peak COMMAND...: runs the command, and prints its largest resident memory in KB on stdout. The
 * command's output goes to stderr. This program is small, because a child begins with the memory of
 * its parent. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t child = argc > 1 ? fork() : -1;

    if (child == 0) {
        dup2(2, 1);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage))
        return 2;
    printf("%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
