/* SPDX-License-Identifier: Apache-2.0 */
/* Emits kinds, tracks, texts and records for all parts of the importer. */
#include <string.h>

#include "ascend-text-import.h"
#include "trace-kinds.h"

const StrobeKind *const ascend_text_kinds[ASCEND_TEXT_KINDS] = {
    &ascend_text_event_kind,
    &strobe_kind_cpu_op,
    &strobe_kind_task_queue,
    &strobe_kind_python_call,
    &strobe_kind_gc,
    &strobe_kind_marker,
    &strobe_kind_marker_instant,
    &strobe_kind_metadata,
    &strobe_kind_api_call,
    &strobe_kind_device_task,
    &strobe_kind_device_pmu,
    &strobe_kind_comm_op,
    &strobe_kind_comm_task,
    &strobe_kind_flow_point,
    &strobe_kind_memory_event,
    &strobe_kind_memory_usage,
    &strobe_kind_module_memory,
    &strobe_kind_core_frequency,
    &strobe_kind_hbm,
    &strobe_kind_ddr,
    &strobe_kind_llc,
    &strobe_kind_qos,
    &strobe_kind_acc_pmu,
    &strobe_kind_soc_bandwidth,
    &strobe_kind_hccs,
    &strobe_kind_pcie,
    &strobe_kind_sio,
    &strobe_kind_nic,
    &strobe_kind_roce,
    &strobe_kind_usage,
    &strobe_kind_l2_cache,
    &strobe_kind_soc_pmu,
    &strobe_kind_aicpu,
    &strobe_kind_os_call,
    &strobe_kind_device_info,
    &strobe_kind_step_range,
    &strobe_kind_overlap,
    &strobe_kind_kernel_detail,
    &strobe_kind_kernel_link,
    &strobe_kind_operator_link,
    &strobe_kind_operator_device,
    &strobe_kind_op_statistic,
    &strobe_kind_api_statistic,
    &strobe_kind_step_trace,
    &strobe_kind_memory_block,
    &strobe_kind_memory_total,
    &strobe_kind_communication_time,
    &strobe_kind_communication_bandwidth,
    &strobe_kind_communication_matrix,
    &strobe_kind_mac,
};

const StrobeKind *import_kind(const char *name)
{
    for (guint i = 0; i < ASCEND_TEXT_KINDS; i++)
        if (!strcmp(ascend_text_kinds[i]->name, name))
            return ascend_text_kinds[i];
    return NULL;
}

static void free_kind(gpointer data)
{
    StrobeKind *kind = data;

    g_free((StrobeField *)(uintptr_t)kind->fields);
    g_free(kind);
}

void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self)
{
    *import = (Import){.host = host, .self = self, .device = -1, .rank = -1};
    import->level = LEVEL_UNKNOWN;
    import->wants_derived = host->request(self)->stored_derived != 0;
    import->own_kinds = g_ptr_array_new_with_free_func(free_kind);
    import->kind_ids = g_hash_table_new(NULL, NULL);
    import->extended = g_hash_table_new(NULL, NULL);
    import->names = g_string_chunk_new(4096);
}

void import_clear(Import *import)
{
    g_hash_table_unref(import->kind_ids);
    g_hash_table_unref(import->extended);
    g_clear_pointer(&import->communicators, g_hash_table_unref);
    g_ptr_array_unref(import->own_kinds);
    g_string_chunk_free(import->names);
}

static StrobeKindId id_of(Import *import, const StrobeKind *kind)
{
    gpointer known;
    StrobeKindId id;

    if (g_hash_table_lookup_extended(import->kind_ids, kind, NULL, &known))
        return GPOINTER_TO_UINT(known);
    if (import->host->kind(import->self, import_extended(import, kind), &id) != STROBE_OK) {
        import->host->damage(import->self, kind->name, "no room for another kind of record");
        id = 0;
    }
    g_hash_table_insert(import->kind_ids, (gpointer)(uintptr_t)kind, GUINT_TO_POINTER(id));
    return id;
}

void *text_import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track,
                       StrobeStringId name, gint64 begin_ns, gint64 end_ns)
{
    StrobeKindId id = id_of(import, kind);
    void *fields;

    if (!id || import->is_full)
        return NULL;
    if (begin_ns < 0 || end_ns < begin_ns) {
        import->host->damage(import->self, kind->name, "before 1970, or an end before the begin");
        return NULL;
    }
    fields = import->host->emit(import->self, id, track, name, begin_ns, end_ns);
    import->is_full = !fields;
    if (!import->first_ns || begin_ns < import->first_ns)
        import->first_ns = begin_ns;
    return fields;
}

StrobeStringId text_import_intern(Import *import, const char *text)
{
    return *text ? import->host->intern(import->self, text, strlen(text)) : 0;
}

const StrobeKind *import_extended(const Import *import, const StrobeKind *kind)
{
    const StrobeKind *wider = g_hash_table_lookup(import->extended, kind);

    return wider ? wider : kind;
}

const StrobeKind *import_extend(Import *import, const StrobeKind *kind, const StrobeField *fields,
                                guint n)
{
    StrobeKind *wider;
    StrobeField *all;

    if (g_hash_table_contains(import->kind_ids, kind) || import_extended(import, kind) != kind) {
        import->host->damage(import->self, kind->name,
                             "more fields cannot be added: the kind is already in use");
        return import_extended(import, kind);
    }
    wider = g_memdup2(kind, sizeof *kind);
    all = g_new0(StrobeField, kind->n_fields + n);
    memcpy(all, kind->fields, kind->n_fields * sizeof *all);
    memcpy(all + kind->n_fields, fields, n * sizeof *all);
    wider->fields = all;
    wider->n_fields = kind->n_fields + n;
    g_ptr_array_add(import->own_kinds, wider);
    g_hash_table_insert(import->extended, (gpointer)(uintptr_t)kind, wider);
    return wider;
}

gboolean import_is_used(const Import *import, const StrobeKind *kind)
{
    return g_hash_table_contains(import->kind_ids, kind);
}

char *import_field_name(const char *title)
{
    g_autoptr(GString) name = g_string_new(NULL);

    for (const char *at = title; *at && name->len < 100; at++) {
        if (g_ascii_isalnum(*at))
            g_string_append_c(name, g_ascii_tolower(*at));
        else if (name->len && name->str[name->len - 1] != '_')
            g_string_append_c(name, '_');
    }
    while (name->len && name->str[name->len - 1] == '_')
        g_string_truncate(name, name->len - 1);
    return g_strdup(name->len ? name->str : "_");
}

gint64 import_instant(const Import *import)
{
    return import->begin_ns ? import->begin_ns : import->first_ns;
}

/* ---- tracks ---- */

static StrobeTrackId track_of(Import *import, guint32 type, gint device, guint64 id,
                              const char *name, const char *group)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = type,
                               .device = device,
                               .id = id,
                               .name = name,
                               .group = group};

    return import->host->track(import->self, &track, (guint64)import->pid);
}

StrobeTrackId text_import_stream(Import *import, gint device, guint64 stream)
{
    char name[32];

    g_snprintf(name, sizeof name, "Stream %" G_GUINT64_FORMAT, stream);
    return track_of(import, STROBE_TRACK_STREAM, device, stream, name, "Ascend Hardware");
}

StrobeTrackId text_import_counter(Import *import, gint device, const char *group)
{
    return track_of(import, STROBE_TRACK_COUNTER, device, 0, NULL, group);
}

StrobeTrackId import_process(Import *import)
{
    return track_of(import, STROBE_TRACK_PROCESS, -1, 0, NULL, NULL);
}

/* ---- damage ---- */

void import_damage(const Import *import, const char *part, const char *what, guint64 number,
                   const char *reason)
{
    g_autofree char *place = g_strdup_printf("%s, %s %" G_GUINT64_FORMAT, part, what, number);

    import->host->damage(import->self, place, reason);
}
