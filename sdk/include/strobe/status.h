/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Status codes returned across the plugin ABI and by the embedding API.
 *
 * 0 is success, a negative value is an error, and a positive value is an answer that is not an
 * error. Values are never reused. Since ABI 1.0.
 */
#ifndef STROBE_STATUS_H
#define STROBE_STATUS_H

#include <stdint.h>

typedef int32_t StrobeStatus;

enum {
    STROBE_OK = 0,
    STROBE_AGAIN = 1, /* try again later: a library is not loaded yet, or a drain is not finished */
    STROBE_UNAVAILABLE =
        2, /* the component cannot work on this machine or in this process, and has reported why */

    STROBE_ERROR_FAILED = -1,   /* any error without a code of its own */
    STROBE_ERROR_ARGUMENT = -2, /* a caller's argument is out of range */
    STROBE_ERROR_MEMORY = -3,   /* an allocation failed */
    STROBE_ERROR_IO = -4,       /* a file could not be read, written or created */
    STROBE_ERROR_ABI = -5,      /* a plugin with another ABI, or a broken descriptor */
    STROBE_ERROR_CLOSED = -6,   /* a call came after the end of the window, session or instance */
    STROBE_ERROR_CONFIG = -7,   /* the configuration is wrong */
    STROBE_ERROR_INPUT = -8,    /* a capture or external file is damaged or has an unknown format */
    STROBE_ERROR_PLUGIN = -9,   /* a plugin was not found, was refused, or failed */
    STROBE_ERROR_STATE = -10    /* the call is not allowed in the current state */
};

#endif
