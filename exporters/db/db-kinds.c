/* SPDX-License-Identifier: Apache-2.0 */
#include "db-kinds.h"

DbKind *db_kind_of(Db *db, const StrobeKindView *view)
{
    DbKind *kind = db->last_kind;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(db->kinds, view);
    if (G_UNLIKELY(!kind || kind->fields != view->fields || kind->n_fields != view->n_fields ||
                   kind->id != view->id))
        return NULL;
    db->last_kind = kind;
    return kind;
}

void db_kind_know(DbKind *kind, const StrobeWantedField *fields, guint n)
{
    kind->known = g_new(guint32, n);
    for (guint i = 0; i < n; i++)
        kind->known[i] = strobe_field_offset(kind->view, fields[i].name, fields[i].type);
}

RowMap *db_kind_map(Db *db, DbKind *kind, guint i, const char *table, RowSpecial special)
{
    if (G_UNLIKELY(!kind->maps[i]))
        kind->maps[i] = row_map_new(db, ascend_db_table(table), kind->view, special);
    return kind->maps[i];
}
