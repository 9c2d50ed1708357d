/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strobe-watch POLL_NS FILE: the process that watches FILE for the program that started it
 * (file-watch.c), every POLL_NS, and ends with the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include "beside-process.h"
#include "file-watch.h"

enum { EXIT_USAGE = 2 };

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: strobe-watch POLL_NS FILE\n");
        return EXIT_USAGE;
    }
    return strobe_file_watch_run(STROBE_BESIDE_DESCRIPTOR, argv[2], atoll(argv[1])) ? EXIT_FAILURE
                                                                                    : EXIT_SUCCESS;
}
