/* SPDX-License-Identifier: Apache-2.0 */
/* The checked options of `strobe svp collect`. */
#ifndef STROBE_TOOLS_COLLECT_REQUEST_H
#define STROBE_TOOLS_COLLECT_REQUEST_H

#include "board-config.h"
#include "board-program.h"

typedef enum StrobeCollectRecorder {
    STROBE_RECORDER_AUTO,
    STROBE_RECORDER_VENDOR,
    STROBE_RECORDER_STROBE
} StrobeCollectRecorder;

typedef enum StrobeCollectMount {
    STROBE_MOUNT_OFF,
    STROBE_MOUNT_AUTO,
    STROBE_MOUNT_REQUIRED
} StrobeCollectMount;

typedef struct StrobeCollectRequest {
    const char *config, *target; /* exactly one is given */
    char **words;                /* the program and its arguments */
    char *main;                  /* the program's path on this machine */
    char *project;               /* canonical path of the folder that is sent to the board */
    char *main_name;             /* the program's path relative to the project */
    char *acl_json;              /* the user's file; NULL: none */
    char *acl_name;              /* path of acl.json relative to the project */
    char *output;
    StrobeBoardKeys keys;
    StrobeBoardProgram program;
    StrobeCollectRecorder recorder;
    char **environment; /* NAME=VALUE; may be NULL */
    gint64 timeout_us;
    StrobeCollectMount mount;
    /* address at which the board mounts from this machine; NULL: that of the connection */
    const char *server;
    gboolean has_input, keeps, is_dry, is_json, does_all;
    char **plugin_path;
} StrobeCollectRequest;

/* Values of options, as the user typed them. NULL: not given. */
typedef struct StrobeCollectTexts {
    const char *main, *config, *target, *project, *acl_json, *output, *recorder, *timeout, *mount;
} StrobeCollectTexts;

/* Converts and checks `texts`, and sets the other members of the request. FALSE with an error,
 * whose code is STROBE_ERROR_CONFIG. */
gboolean strobe_collect_request_fill(StrobeCollectRequest *request, const StrobeCollectTexts *texts,
                                     GError **error);
void strobe_collect_request_clear(StrobeCollectRequest *request);

#endif
