/* SPDX-License-Identifier: Apache-2.0 */
/* Where Strobe's own files are: beside this command in the build tree, or installed. */
#ifndef STROBE_TOOLS_INSTALL_PATHS_H
#define STROBE_TOOLS_INSTALL_PATHS_H

#include <glib.h>

/* Each returns an absolute path (free it), NULL when the file is not there. */
char *strobe_install_path_library(void);      /* libstrobe.so */
char *strobe_install_path_preload(void);      /* libstrobe-preload.so */
char *strobe_install_path_board(void);        /* libstrobe-board.so */
char *strobe_install_path_writer(void);       /* strobe-writer */
char *strobe_install_path_python(void);       /* the folder that holds the package "strobe" */
char *strobe_install_path_bootstrap(void);    /* the folder that holds our sitecustomize.py */
char *strobe_install_path_torch_source(void); /* the folder that holds torch_bridge.cpp */
char *strobe_install_path_headers(void);      /* the folder that holds strobe/plugin.h */

#endif
