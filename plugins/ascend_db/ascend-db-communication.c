/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-communication.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "lookup.h"
#include "ascend-db-tasks.h"

#define GROUPS_MAX 65536u

/* A communicator. It has a track for its operations, and a track for each of its planes. */
typedef struct Group {
    guint index;  /* number of the group, in the order of the operations */
    guint64 base; /* number of its track; the numbers of the planes' tracks follow */
    guint planes; /* number of planes */
    char *name;
} Group;

typedef struct Comm {
    Import *import;
    GHashTable *groups;    /* id of the name (gint64) -> Group */
    GHashTable *op_device; /* id of an operation (gint64) -> its device */
    RowReader *reader;
    sqlite3_stmt *tasks, *operations;
    guint64 next_base;
    gboolean has_orphans; /* there are tasks whose operation is not in COMMUNICATION_OP */
    /* offset of the field for the name of an operation that is not in COMMUNICATION_OP; 0: no
     * field */
    guint operation_offset;
} Comm;

static void free_group(gpointer data)
{
    Group *group = data;

    g_free(group->name);
    g_free(group);
}

static Group *group_of(Comm *c, gint64 id)
{
    Group *group = g_hash_table_lookup(c->groups, &id);

    if (group || g_hash_table_size(c->groups) == GROUPS_MAX)
        return group;
    group = g_new0(Group, 1);
    group->index = g_hash_table_size(c->groups);
    group->name = texts_dup(c->import->texts, id);
    if (!group->name)
        group->name = g_strdup_printf("%" G_GINT64_FORMAT, id);
    g_hash_table_insert(c->groups, g_memdup2(&id, sizeof id), group);
    return group;
}

/* Finds the groups in the order of their operations, then the number of planes of each group. */
static void find_groups(Comm *c)
{
    DbScan scan;

    if (db_table_column(db_file_table(c->import->file, "COMMUNICATION_OP"), "groupName")) {
        db_scan_init(&scan, c->import->file, "COMMUNICATION_OP", "groupName");
        while (db_scan_next(&scan))
            group_of(c, sqlite3_column_int64(scan.statement, 1));
        db_scan_clear(&scan);
    }
    if (!db_table_column(db_file_table(c->import->file, "COMMUNICATION_TASK_INFO"), "planeId"))
        return;
    db_scan_init(&scan, c->import->file, "COMMUNICATION_TASK_INFO",
                 "groupName, planeId, opId, globalTaskId");
    while (db_scan_next(&scan)) {
        Group *group = group_of(c, sqlite3_column_int64(scan.statement, 1));
        gint64 plane = sqlite3_column_int64(scan.statement, 2);
        gint64 op = sqlite3_column_int64(scan.statement, 3);
        TaskMetadata metadata;

        if (group && plane >= 0 && plane < GROUPS_MAX)
            group->planes = MAX(group->planes, (guint)plane + 1);
        if (g_hash_table_contains(c->op_device, &op))
            continue;
        c->has_orphans |= !lookup_find(c->operations, op);
        if (g_hash_table_size(c->op_device) < 1000000 &&
            task_metadata_find(c->tasks, sqlite3_column_int64(scan.statement, 4), &metadata))
            g_hash_table_insert(c->op_device, g_memdup2(&op, sizeof op),
                                GINT_TO_POINTER(metadata.device));
    }
    db_scan_clear(&scan);
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

static void place_groups(Comm *c)
{
    g_autoptr(GList) groups = g_list_sort(g_hash_table_get_values(c->groups), compare_groups);

    for (GList *at = groups; at; at = at->next) {
        Group *group = at->data;

        group->base = c->next_base;
        c->next_base += 1 + group->planes;
    }
}

/* Returns the track of a group. Older traces use the number of a group, newer traces its name. */
static StrobeTrackId group_track(Comm *c, const Group *group, guint64 pid, gint32 device)
{
    gboolean is_new = c->import->generation == 3;
    g_autofree char *name = !is_new ? g_strdup_printf("Group %u Communication", group->index)
                            : !strcmp(group->name, "N/A") || !*group->name
                                ? g_strdup("Communication")
                                : g_strdup_printf("Group %s Communication", group->name);
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = device,
                               .id = group->base,
                               .name = name,
                               .group = is_new ? "Communication" : "HCCL"};

    return c->import->host->track(c->import->self, &track, pid);
}

static StrobeTrackId plane_track(Comm *c, const Group *group, gint64 plane, guint64 pid,
                                 gint32 device)
{
    char name[48];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_PLANE,
                               .device = device,
                               .id = group->base + 1 + (guint64)plane,
                               .name = name,
                               .group = c->import->generation == 3 ? "Communication" : "HCCL"};

    g_snprintf(name, sizeof name, "Plane %" G_GINT64_FORMAT, plane);
    return c->import->host->track(c->import->self, &track, pid);
}

/* ---- operations ---- */

static gint32 device_of(const Comm *c, const RowPlace *place, gint64 op)
{
    gpointer device;

    if (!place->has_device && g_hash_table_lookup_extended(c->op_device, &op, NULL, &device))
        return GPOINTER_TO_INT(device);
    return place->device;
}

static void take_op(Comm *c, sqlite3_stmt *statement)
{
    gint64 op = row_reader_integer(c->reader, statement, "opId", -1);
    const Group *group =
        group_of(c, row_reader_integer(c->reader, statement, "groupName", NO_STRING));
    StrobeTrackId track = 0;
    RowPlace place;
    void *fields;

    row_reader_place(c->reader, statement, &place);
    if (group)
        track = group_track(c, group, c->import->pid, device_of(c, &place, op));
    fields =
        import_emit(c->import, c->reader->kind, track, place.name, place.begin_ns, place.end_ns);
    if (fields)
        row_reader_fill(c->reader, statement, fields);
}

/* ---- tasks ---- */

/* Returns the notify id as text. If there is none, the database has the greatest number of 63 bits,
 * and the trace the greatest number of 64 bits. row_reader_integer returns -1 if the value is not a
 * number. */
static StrobeStringId notify_of(Comm *c, sqlite3_stmt *statement)
{
    gint64 notify = row_reader_integer(c->reader, statement, "notifyId", -1);
    char text[32];

    if (notify == -1)
        return 0;
    if (notify == G_MAXINT64)
        return import_intern(c->import, "18446744073709551615");
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, notify);
    return import_intern(c->import, text);
}

/* Sets the operation's name if COMMUNICATION_OP has no row for the operation. */
static void fill_operation(Comm *c, sqlite3_stmt *statement, struct strobe_comm_task *fields)
{
    gint64 id = row_reader_integer(c->reader, statement, "name", NO_STRING);
    StrobeStringId name;

    if (id == NO_STRING ||
        lookup_find(c->operations, row_reader_integer(c->reader, statement, "opId", -1)))
        return;
    if (texts_find(c->import->texts, id, NULL, &name))
        memcpy((char *)fields + c->operation_offset, &name, sizeof name);
}

static void take_task(Comm *c, sqlite3_stmt *statement)
{
    const Group *group =
        group_of(c, row_reader_integer(c->reader, statement, "groupName", NO_STRING));
    gint64 plane = row_reader_integer(c->reader, statement, "planeId", -1);
    gint64 task = row_reader_integer(c->reader, statement, "globalTaskId", -1);
    TaskMetadata metadata = {.begin_ns = c->import->begin_ns, .end_ns = c->import->begin_ns};
    gboolean is_known = task_metadata_find(c->tasks, task, &metadata);
    struct strobe_comm_task *fields;
    StrobeTrackId track = 0;
    RowPlace place;

    row_reader_place(c->reader, statement, &place);
    if (group && plane >= 0 && plane < GROUPS_MAX)
        track = plane_track(c, group, plane, c->import->pid,
                            is_known ? metadata.device : c->import->device);
    fields = import_emit(c->import, c->reader->kind, track, place.name, metadata.begin_ns,
                         metadata.end_ns);
    if (!fields)
        return;
    row_reader_fill(c->reader, statement, fields);
    fields->notify = notify_of(c, statement);
    fields->bandwidth /= 1e9; /* the database has B/s */
    if (c->operation_offset)
        fill_operation(c, statement, fields);
    if (!is_known) /* the database has no times for this task */
        return;
    fields->connection = metadata.connection;
    fields->stream = metadata.stream;
    fields->task_id = metadata.task_id;
    fields->context = metadata.context;
    fields->model = metadata.model;
}

static void scan_table(Comm *c, const char *table, void (*take)(Comm *c, sqlite3_stmt *statement))
{
    DbScan scan;

    c->reader = row_reader_new(c->import, c->import->file, ascend_db_table(table), NULL);
    if (!c->reader)
        return;
    if (c->has_orphans && take == take_task)
        c->operation_offset =
            row_reader_add_text(c->reader, "ascend_db.operation_name", "name of the operation");
    if (c->reader->slots->len) {
        db_scan_init(&scan, c->import->file, table, c->reader->columns->str);
        while (!c->import->is_full && db_scan_next(&scan))
            take(c, scan.statement);
        c->import->host->found(c->import->self, table, scan.n);
        db_scan_clear(&scan);
    }
    row_reader_free(c->reader);
}

void communication_import(Import *import)
{
    Comm comm = {.import = import};

    comm.groups = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, free_group);
    comm.op_device = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    comm.tasks = task_metadata_new(import);
    comm.operations = lookup_new(import->file, "COMMUNICATION_OP", "opId", "opId");
    find_groups(&comm);
    place_groups(&comm);
    scan_table(&comm, "COMMUNICATION_OP", take_op);
    scan_table(&comm, "COMMUNICATION_TASK_INFO", take_task);
    sqlite3_finalize(comm.operations);
    sqlite3_finalize(comm.tasks);
    g_hash_table_unref(comm.op_device);
    g_hash_table_unref(comm.groups);
}
