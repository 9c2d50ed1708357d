/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of Strobe's own files, in the build tree or in an installation. */
#ifndef STROBE_TOOLS_INSTALL_PATHS_H
#define STROBE_TOOLS_INSTALL_PATHS_H

#include <glib.h>

/* Each function returns the absolute path of a file or a folder (free it), or NULL if it does not
 * exist. */
char *strobe_install_path_library(void);   /* libstrobe.so */
char *strobe_install_path_preload(void);   /* libstrobe-preload.so */
char *strobe_install_path_board(void);     /* libstrobe-board.so */
char *strobe_install_path_board_run(void); /* strobe-board-run for this machine */
char *strobe_install_path_marks(void);     /* libstrobe-marks.so for this machine */
/* a bundled plugin, for example "host_sys.so" */
char *strobe_install_path_plugin(const char *file);
/* The file `file` in the kit `name` for boards, for example "libstrobe-board.so" in
 * "aarch64-glibc". */
char *strobe_install_path_kit(const char *name, const char *file);
char *strobe_install_path_ssh(void);          /* libstrobe-ssh.so */
char *strobe_install_path_writer(void);       /* strobe-writer */
char *strobe_install_path_python(void);       /* the folder that contains the package "strobe" */
char *strobe_install_path_bootstrap(void);    /* folder that contains Strobe's sitecustomize.py */
char *strobe_install_path_torch_source(void); /* the folder that contains torch_bridge.cpp */
char *strobe_install_path_headers(void);      /* the folder that contains strobe/plugin.h */

#endif
