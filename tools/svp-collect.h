/* SPDX-License-Identifier: Apache-2.0 */
/* The command `strobe svp collect`. */
#ifndef STROBE_TOOLS_SVP_COLLECT_H
#define STROBE_TOOLS_SVP_COLLECT_H

/* Runs the command; argv[0] is "collect". Returns the exit code. */
int strobe_svp_collect(int argc, char **argv);

#endif
