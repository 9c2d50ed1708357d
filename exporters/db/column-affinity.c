/* SPDX-License-Identifier: Apache-2.0 */
#include "column-affinity.h"

#include <string.h>

/* The rules in their order: the first part that a type's name contains decides. */
Affinity affinity_of(const char *type)
{
    static const struct {
        const char *part;
        Affinity affinity;
    } rules[] = {
        {"INT", AFFINITY_NUMERIC}, {"CHAR", AFFINITY_TEXT}, {"CLOB", AFFINITY_TEXT},
        {"TEXT", AFFINITY_TEXT},   {"BLOB", AFFINITY_NONE}, {"REAL", AFFINITY_REAL},
        {"FLOA", AFFINITY_REAL},   {"DOUB", AFFINITY_REAL},
    };
    g_autofree char *upper = g_ascii_strup(type ? type : "", -1);

    for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
        if (strstr(upper, rules[i].part))
            return rules[i].affinity;
    return *upper ? AFFINITY_NUMERIC : AFFINITY_NONE;
}

gboolean affinity_may_change(const char *bytes, gsize length)
{
    return length && (g_ascii_isdigit(*bytes) || g_ascii_isspace(*bytes) || *bytes == '\v' ||
                      *bytes == '+' || *bytes == '-' || *bytes == '.');
}

/* ---- SQLite's answer ---- */

struct AffinityAsk {
    sqlite3 *sql;
    sqlite3_stmt *put[AFFINITY_REAL + 1], *get[AFFINITY_REAL + 1];
};

static const char *const columns[] = {"same", "text", "numeric", "real"};

static gboolean prepare(AffinityAsk *ask)
{
    if (sqlite3_exec(ask->sql,
                     "CREATE TABLE asked(same, text TEXT, numeric NUMERIC, real REAL);"
                     "INSERT INTO asked VALUES(NULL, NULL, NULL, NULL)",
                     NULL, NULL, NULL))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        g_autofree char *put = g_strdup_printf("UPDATE asked SET %s = ?1", columns[i]);
        g_autofree char *get = g_strdup_printf("SELECT %s FROM asked", columns[i]);

        if (sqlite3_prepare_v2(ask->sql, put, -1, &ask->put[i], NULL) ||
            sqlite3_prepare_v2(ask->sql, get, -1, &ask->get[i], NULL))
            return FALSE;
    }
    return TRUE;
}

AffinityAsk *affinity_ask_new(void)
{
    AffinityAsk *ask = g_new0(AffinityAsk, 1);

    if (sqlite3_open_v2(":memory:", &ask->sql,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
        !prepare(ask))
        g_clear_pointer(&ask, affinity_ask_free);
    return ask;
}

void affinity_ask_free(AffinityAsk *ask)
{
    if (!ask)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        sqlite3_finalize(ask->put[i]);
        sqlite3_finalize(ask->get[i]);
    }
    sqlite3_close(ask->sql);
    g_free(ask);
}

/* Of a statement that is bound. */
static sqlite3_value *answer(AffinityAsk *ask, Affinity affinity)
{
    int code;

    sqlite3_reset(ask->get[affinity]);
    code = sqlite3_step(ask->put[affinity]);
    sqlite3_reset(ask->put[affinity]);
    sqlite3_clear_bindings(ask->put[affinity]);
    if (code != SQLITE_DONE || sqlite3_step(ask->get[affinity]) != SQLITE_ROW)
        return NULL;
    return sqlite3_column_value(ask->get[affinity], 0);
}

sqlite3_value *affinity_ask_real(AffinityAsk *ask, Affinity affinity, double value)
{
    if (!ask)
        return NULL;
    sqlite3_bind_double(ask->put[affinity], 1, value);
    return answer(ask, affinity);
}

sqlite3_value *affinity_ask_text(AffinityAsk *ask, Affinity affinity, const char *bytes,
                                 gsize length)
{
    if (!ask)
        return NULL;
    sqlite3_bind_text64(ask->put[affinity], 1, bytes, length, SQLITE_STATIC, SQLITE_UTF8);
    return answer(ask, affinity);
}
