/* SPDX-License-Identifier: Apache-2.0 */
#include "board-instance.h"

#include <string.h>

const char *board_instance_option(const BoardCollector *c, const char *name)
{
    for (unsigned i = 0; i < c->n_options; i++)
        if (strcmp(c->options[i], name) == 0)
            return c->values[i];
    return NULL;
}

void board_instance_set(BoardCollector *c, const char *pair)
{
    const size_t length = strcspn(pair, "=");

    for (unsigned i = 0; i < c->n_options; i++)
        if (strncmp(c->options[i], pair, length) == 0 && !c->options[i][length])
            c->values[i] = pair + length + 1;
}
