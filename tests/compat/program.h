/* SPDX-License-Identifier: Apache-2.0 */
/* compat-program CASE [ARGUMENT...]: each case uses one feature as programs do, and prints the
 * results. The output must be the same with and without Strobe. */
#ifndef STROBE_TESTS_COMPAT_PROGRAM_H
#define STROBE_TESTS_COMPAT_PROGRAM_H

struct program_case {
    const char *name;
    int (*run)(int argc, char **argv); /* returns the exit code */
};

/* The lists of cases, each of which ends with an entry without a name. */
extern const struct program_case process_cases[], limit_cases[], right_cases[], filter_cases[];

/* Makes 1000 marks. */
void make_marks(void);
/* Returns the number of the process's threads. */
int count_threads(void);
/* Prints the process's own state: threads, descriptors, signals, rights, limits, variables,
 * children. */
void print_state(void);
/* Prints the user and group ids and the capabilities of every thread. */
void print_rights(void);
/* Ends the program with a message if a call has failed. */
void check(int is_good, const char *what);
/* Runs the function in a child, and prints how the child ended. */
void run_in_child(const char *what, void (*function)(void));

#endif
