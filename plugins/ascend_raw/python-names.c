/* SPDX-License-Identifier: Apache-2.0 */
#include "python-names.h"

#include <strobe/helpers/keyed-hash.h>

#define HASH_BYTES 8u
#define MODULE_MARK "######"

enum { FIELD_TEXT = 1 };

/* A module: the address of the object, and its class. */
typedef struct Module {
    const char *class; /* equal texts have the same pointer */
    guint64 address;
} Module;

struct PythonNames {
    GHashTable *names;   /* key -> PythonName */
    GArray *modules;     /* elements of type Module, indexed by number */
    GHashTable *numbers; /* Module -> its number */
    GHashTable *classes; /* the texts of class names */
    guint64 n_refused;
};

static guint hash_module(gconstpointer key)
{
    const Module *module = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), module->address, (gsize)module->class);
}

static gboolean equal_modules(gconstpointer a, gconstpointer b)
{
    const Module *x = a, *y = b;

    return x->class == y->class && x->address == y->address;
}

static const char *class_of(PythonNames *n, const char *text)
{
    gpointer known = g_hash_table_lookup(n->classes, text);

    if (!known) {
        known = g_strdup(text);
        g_hash_table_add(n->classes, known);
    }
    return known;
}

static guint32 number_of(PythonNames *n, const char *class, guint64 address)
{
    Module module = {class_of(n, class), address};
    gpointer known = g_hash_table_lookup(n->numbers, &module);

    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_array_append_val(n->modules, module);
    g_hash_table_insert(n->numbers, g_memdup2(&module, sizeof module),
                        GUINT_TO_POINTER(n->modules->len));
    return n->modules->len - 1;
}

/* Reads a name. A name of the form "Class######<decimal address>" is the name of a module. */
static void read_text(PythonNames *n, Raw *raw, const TlvText *text, PythonName *name)
{
    g_autofree char *copy = g_strndup(text->bytes, text->length);
    char *mark = strlen(copy) == text->length ? strstr(copy, MODULE_MARK) : NULL;
    guint64 address;

    name->module = NO_MODULE;
    if (mark &&
        g_ascii_string_to_unsigned(mark + strlen(MODULE_MARK), 10, 0, G_MAXUINT64, &address,
                                   NULL) &&
        text_is_utf8(text->bytes, text->length)) {
        *mark = 0;
        name->module = number_of(n, copy, address);
        name->text = raw_intern(raw, copy);
        return;
    }
    name->text = text_cache_string(raw->texts, text->bytes, text->length);
}

static void take_name(PythonNames *n, Raw *raw, const TlvRecord *record)
{
    static const TlvText none = {"", 0};
    guint64 key = raw_u64(record->fixed);
    PythonName *name = g_hash_table_lookup(n->names, &key);

    if (!name) {
        if (g_hash_table_size(n->names) >= PYTHON_NAMES_MAX) {
            n->n_refused++;
            return;
        }
        name = g_new0(PythonName, 1);
        name->key = key;
        g_hash_table_insert(n->names, &name->key, name);
    }
    read_text(n, raw, record->present & 1u << FIELD_TEXT ? &record->fields[FIELD_TEXT] : &none,
              name);
}

PythonNames *python_names_new(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_TRACER_HASH];
    PythonNames *n = g_new0(PythonNames, 1);
    TlvReader reader;
    TlvRecord record;

    n->names = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, NULL, g_free);
    n->modules = g_array_new(FALSE, FALSE, sizeof(Module));
    n->numbers = g_hash_table_new_full(hash_module, equal_modules, g_free, NULL);
    n->classes = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    if (!file->name)
        return n;
    tlv_init(&reader, file->fd, HASH_BYTES);
    while (tlv_next(&reader, &record))
        take_name(n, raw, &record);
    if (n->n_refused)
        raw_damage(raw, file->name, "%" G_GUINT64_FORMAT " keys beyond the first %u are left out",
                   n->n_refused, PYTHON_NAMES_MAX);
    raw_tell_tlv(raw, file, &reader);
    tlv_clear(&reader);
    return n;
}

void python_names_free(PythonNames *n)
{
    g_hash_table_unref(n->names);
    g_hash_table_unref(n->numbers);
    g_array_unref(n->modules);
    g_hash_table_unref(n->classes);
    g_free(n);
}

const PythonName *python_names_find(const PythonNames *n, guint64 key)
{
    return g_hash_table_lookup(n->names, &key);
}

const char *python_names_class(const PythonNames *n, guint32 module)
{
    return g_array_index(n->modules, Module, module).class;
}
