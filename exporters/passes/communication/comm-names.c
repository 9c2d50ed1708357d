/* SPDX-License-Identifier: Apache-2.0 */
#include "comm-names.h"

#include <string.h>

gboolean comm_is_p2p(const char *op_name)
{
    static const char *const prefixes[] = {"hcom_send", "hcom_receive", "hcom_batchsendrecv"};
    g_autofree char *lower = g_ascii_strdown(op_name, -1);

    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(lower, prefixes[i]))
            return TRUE;
    return FALSE;
}

/* Uses the word that occurs first in the name. If several words begin at the same position, uses
 * the one that is first in the list. For example, the type of "reducescatter" is "reduce". */
const char *comm_type_word(const char *op_name)
{
    static const char *const words[] = {"send",         "reduce",   "invalid",   "broadcast",
                                        "allreduce",    "receive",  "allgather", "reducescatter",
                                        "scatter",      "alltoall", "alltoallv", "alltoallvc",
                                        "batchsendrecv"};
    g_autofree char *lower = g_ascii_strdown(op_name, -1);

    for (const char *at = lower; *at; at++)
        for (guint i = 0; i < G_N_ELEMENTS(words); i++)
            if (g_str_has_prefix(at, words[i]))
                return words[i];
    return "";
}

char *comm_group_hash(const char *name)
{
    guint32 low = 0, high = 0;

    if (*name && strspn(name, "0123456789") == strlen(name))
        return g_strdup(name);
    for (const char *at = name; *at; at = g_utf8_find_next_char(at, NULL)) {
        gunichar code = g_utf8_get_char_validated(at, -1);

        if (code >= (gunichar)-2)
            code = (guint8)*at;
        high = high * 29 + code;
        low = low * 131 + code;
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)high << 32 | low);
}
