/* SPDX-License-Identifier: Apache-2.0 */
/* deserted-program MS FILE: the main thread ends by pthread_exit() at once. Another thread works
 * for MS milliseconds and then writes FILE. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static useconds_t span_us;

static void *write_done_file(void *user)
{
    usleep(span_us);
    FILE *file = fopen(user, "w");
    if (!file || fputs("done\n", file) < 0 || fclose(file))
        abort();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc != 3)
        return 2;
    span_us = (useconds_t)atoi(argv[1]) * 1000;
    if (pthread_create(&thread, NULL, write_done_file, argv[2]))
        return 1;
    pthread_detach(thread);
    pthread_exit(NULL);
}
