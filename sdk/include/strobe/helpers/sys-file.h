/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of /proc and /sys, or of a recorded tree: kept open, read by pread, parsed without
 * allocation. Only regular files are opened, so that no read waits for a writer. libc only. Any
 * thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_SYS_FILE_H
#define STROBE_HELPERS_SYS_FILE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A descriptor, or -1 with errno set; EINVAL for what is not a regular file. */
int strobe_sys_open(const char *root, const char *name);
int strobe_sys_open_at(int folder, const char *name);
/* Closes it if it is open and sets it to -1. */
void strobe_sys_close(int *descriptor);

/* The head of the file, or of a file of many lines as much as fits, as text. Returns its length,
 * -1 for a read that fails or an empty file. The cut end of a line is left out by `read_lines`. */
int strobe_sys_read(int descriptor, char *text, size_t size);
int strobe_sys_read_lines(int descriptor, char *text, size_t size);
/* Opens, reads and closes. */
int strobe_sys_read_at(int folder, const char *name, char *text, size_t size);
int strobe_sys_read_path(const char *root, const char *name, char *text, size_t size);

/* Calls `take` for each name in a folder (a descriptor), until it returns other than 0. No
 * allocation. */
void strobe_sys_each(int folder, int (*take)(void *user, const char *name), void *user);

/* The decimal number behind blanks at *at, which then stands behind it. -1: there is none, or it
 * does not fit. */
int strobe_sys_number(const char **at, uint64_t *value);
/* Passes over `n` words. -1: the line has fewer. */
int strobe_sys_skip(const char **at, unsigned n);
/* Returns the text after `key` at the beginning of a line, NULL if no line begins with it. */
const char *strobe_sys_after(const char *text, const char *key);
/* The number on the line of that key. */
int strobe_sys_field(const char *text, const char *key, uint64_t *value);
/* The beginning of the line after the one at `text`, NULL if that was the last. */
const char *strobe_sys_next_line(const char *text);

#if defined(__cplusplus)
}
#endif

#endif
