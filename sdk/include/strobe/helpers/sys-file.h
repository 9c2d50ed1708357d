/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads small files of /proc and /sys, or of a recorded copy of them: the files are kept open, read
 * by pread and parsed without allocation. Only regular files are opened, so that no read waits for
 * a writer. libc only. Any thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_SYS_FILE_H
#define STROBE_HELPERS_SYS_FILE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Both functions open a file for reading and return its descriptor, or -1 with errno set: EINVAL if
 * the file is not a regular file. */
int strobe_sys_open(const char *root, const char *name);
int strobe_sys_open_at(int folder, const char *name);
/* Closes the descriptor unless it is -1, and sets it to -1. */
void strobe_sys_close(int *descriptor);

/* Both functions read the file from its beginning into `text`, as far as it fits, with a NUL at the
 * end. strobe_sys_read does so in one system call. strobe_sys_read_lines reads to the end of the
 * file, and drops the last line if it does not fit whole. Both return the length, or -1 if the file
 * is empty or cannot be read. */
int strobe_sys_read(int descriptor, char *text, size_t size);
int strobe_sys_read_lines(int descriptor, char *text, size_t size);
/* Both functions open the file, call strobe_sys_read, and close the file. */
int strobe_sys_read_at(int folder, const char *name, char *text, size_t size);
int strobe_sys_read_path(const char *root, const char *name, char *text, size_t size);

/* Calls `take` for each name in a folder (a descriptor) that does not begin with '.', until `take`
 * returns a value other than 0. No allocation. */
void strobe_sys_each(int folder, int (*take)(void *user, const char *name), void *user);

/* Reads a decimal number at *at, after any blanks, and moves *at past it. Returns 0, or -1 if there
 * is no number or it does not fit. */
int strobe_sys_number(const char **at, uint64_t *value);
/* Moves *at past `n` words. Returns 0, or -1 if the line has fewer words. */
int strobe_sys_skip(const char **at, unsigned n);
/* Returns the text after `key` in the first line that begins with `key`; NULL if no line does. */
const char *strobe_sys_after(const char *text, const char *key);
/* Reads the number after `key` in the first line that begins with `key`. Returns 0, or -1 if there
 * is no such line or number. */
int strobe_sys_field(const char *text, const char *key, uint64_t *value);
/* Returns the begin of the line that follows the line at `text`; NULL if that line is the last. */
const char *strobe_sys_next_line(const char *text);

#if defined(__cplusplus)
}
#endif

#endif
