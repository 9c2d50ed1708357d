/* SPDX-License-Identifier: Apache-2.0 */
/* The StrobeHost for collectors on a board. */
#ifndef STROBE_BOARD_HOST_H
#define STROBE_BOARD_HOST_H

#include "board-instance.h"

extern const StrobeHost board_host;

#endif
