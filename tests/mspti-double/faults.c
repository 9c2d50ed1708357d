/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

const char *fault(const char *word)
{
    const char *at = getenv("MSPTI_DOUBLE");
    size_t length = strlen(word);

    while (at && *at) {
        if (strncmp(at, word, length) == 0 &&
            (at[length] == ',' || !at[length] || at[length] == '='))
            return at[length] == '=' ? at + length + 1 : "";
        at = strchr(at, ',');
        at += at != NULL;
    }
    return NULL;
}

int fault_of_call(const char *call)
{
    const char *which = fault("fail");
    size_t length = strlen(call);

    return which && strncmp(which, call, length) == 0 && which[length] == ':'
               ? atoi(which + length + 1)
               : 0;
}

int fault_of_kind(int kind)
{
    const char *which = fault("fail-kind");

    return which && atoi(which) == kind && strchr(which, ':') ? atoi(strchr(which, ':') + 1) : 0;
}

__attribute__((constructor)) static void load(void)
{
    if (fault("abort"))
        abort();
}
