/* SPDX-License-Identifier: Apache-2.0 */
/* peak COMMAND...: runs it and prints on stdout the most KB it had resident; its own output goes to
 * stderr. This program is small: a child begins with what its parent had. */
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
