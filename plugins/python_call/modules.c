/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "python-text.h"

#define SLOTS_FIRST 1024u
#define MODULES_LAST (1u << 20)
#define CLASSES_LAST 4096u

/* The name of a class. Its modules are numbered separately. An entry is never removed. */
typedef struct ModuleClass {
    char *name;
    size_t length;
    int64_t n_modules; /* number of numbers that were assigned */
} ModuleClass;

typedef struct Module {
    PyObject *address; /* NULL: free; not a reference */
    PyObject *weakref; /* strong reference; NULL: the module was freed */
    uint32_t class;    /* index in `classes` */
    StrobeStringId name;
    uint32_t window; /* window in which `name` is valid */
    int64_t number;
} Module;

static struct {
    const StrobeHost *host; /* host of the last session */
    StrobeInstance *self;
    uint32_t window; /* number of the present window */
    Module *slots;
    uint32_t n_slots, n_used;
    ModuleClass *classes;
    uint32_t n_classes;
    TextBuffer text;
} modules;

int modules_is_call(PyObject *code)
{
    static const char *const path[] = {"Module", "__call__", "__code__", NULL};

    return inspect_is_of_file(code, "nn/modules/module.py") &&
           inspect_is_method(code, "torch.nn.modules.module", path);
}

/* ---- the table ---- */

/* Returns whether the slot's module is still alive. If it is not, another module may now have its
 * address. */
static int is_alive(const Module *slot)
{
    const PythonApi *python = &python_api;
    PyObject *object = NULL;

    if (!slot->weakref)
        return 0;
    if (python->weakref_take) {
        if (python->weakref_take(slot->weakref, &object) == 1)
            python_unref(object);
    } else {
        object = python->weakref_object(slot->weakref);
    }
    return object == slot->address;
}

static uint32_t slot_of(const void *address)
{
    uint64_t bits = (uint64_t)(uintptr_t)address >> 4;

    return (uint32_t)(bits * 0x9e3779b97f4a7c15u >> 32) & (modules.n_slots - 1);
}

static Module *find_slot(PyObject *address)
{
    Module *slot = &modules.slots[slot_of(address)];

    while (slot->address && slot->address != address)
        slot = slot + 1 < modules.slots + modules.n_slots ? slot + 1 : modules.slots;
    return slot;
}

/* Rebuilds the table without modules that were freed. The new table has at least as many free slots
 * as used ones. */
static int rebuild_table(void)
{
    Module *old = modules.slots;
    uint32_t n_old = modules.n_slots, n_alive = 0, n_slots = SLOTS_FIRST;

    for (uint32_t i = 0; i < n_old; i++)
        n_alive += old[i].address && is_alive(&old[i]);
    while (n_slots < 4 * n_alive)
        n_slots *= 2;
    Module *slots = n_alive < MODULES_LAST ? calloc(n_slots, sizeof *slots) : NULL;
    if (!slots)
        return 0;
    modules.slots = slots;
    modules.n_slots = n_slots;
    modules.n_used = 0;
    for (uint32_t i = 0; i < n_old; i++) {
        if (!old[i].address)
            continue;
        if (is_alive(&old[i])) {
            *find_slot(old[i].address) = old[i];
            modules.n_used++;
        } else if (old[i].weakref) {
            python_api.unref(old[i].weakref);
        }
    }
    free(old);
    return 1;
}

void modules_begin(const StrobeHost *host, StrobeInstance *self)
{
    modules.host = host;
    modules.self = self;
    modules.window++;
    if (modules.slots)
        rebuild_table();
}

/* ---- classes ---- */

static ModuleClass *add_class(const TextBuffer *name)
{
    ModuleClass *grown = modules.n_classes < CLASSES_LAST
                             ? realloc(modules.classes, (modules.n_classes + 1) * sizeof *grown)
                             : NULL;
    char *copy = grown ? malloc(name->length + 1) : NULL;

    if (grown)
        modules.classes = grown;
    if (!copy)
        return NULL;
    memcpy(copy, name->bytes, name->length);
    grown[modules.n_classes] = (ModuleClass){copy, name->length, 0};
    return &grown[modules.n_classes++];
}

/* Returns the entry of the module's class. Is called only once for each module. Compares the names
 * of all entries, because a model has few classes. */
static ModuleClass *class_of(PyObject *module)
{
    TextBuffer *text = &modules.text;
    PyObject *name = python_api.get_attribute(module->type, "__name__");

    text->length = 0;
    if (name) {
        text_append_unicode(text, name);
        python_api.unref(name);
    }
    python_api.clear_error();
    if (!text->length)
        return NULL;
    for (uint32_t i = 0; i < modules.n_classes; i++) {
        ModuleClass *class = &modules.classes[i];
        if (class->length == text->length && memcmp(class->name, text->bytes, text->length) == 0)
            return class;
    }
    return add_class(text);
}

/* Assigns the slot to a new module. Returns NULL if the class has no name, or if no weak reference
 * to the module can be made. */
static Module *take_slot(Module *slot, PyObject *module)
{
    ModuleClass *class = class_of(module);
    PyObject *weakref = class ? python_api.new_weakref(module, NULL) : NULL;

    if (!weakref) {
        python_api.clear_error();
        return NULL;
    }
    if (slot->weakref)
        python_api.unref(slot->weakref);
    modules.n_used += !slot->address;
    *slot = (Module){.address = module,
                     .weakref = weakref,
                     .class = (uint32_t)(class - modules.classes),
                     .number = class->n_modules++};
    return slot;
}

static Module *look_up(PyObject *module)
{
    Module *slot;

    if (2 * (modules.n_used + 1) > modules.n_slots && !rebuild_table())
        return NULL;
    slot = find_slot(module);
    return slot->address && is_alive(slot) ? slot : take_slot(slot, module);
}

/* ---- names ---- */

static StrobeStringId intern_name(const Module *module)
{
    const ModuleClass *class = &modules.classes[module->class];
    StrobeWriter *writer = modules.host->writer(modules.self);
    char digits[32];

    modules.text.length = 0;
    text_append(&modules.text, "nn.Module: ", 11);
    text_append(&modules.text, class->name, class->length);
    text_append(&modules.text, digits,
                (size_t)snprintf(digits, sizeof digits, "_%lld", (long long)module->number));
    if (!writer || !modules.text.bytes)
        return 0;
    return modules.host->intern(writer, modules.text.bytes, modules.text.length);
}

static Module *module_of(PyObject *frame)
{
    PyObject *self = inspect_self(frame);
    Module *module = self ? look_up(self) : NULL;

    if (self)
        python_unref(self);
    return module;
}

StrobeStringId modules_name(PyObject *frame, int64_t *number)
{
    Module *module = module_of(frame);

    if (!module)
        return 0;
    *number = module->number;
    if (module->window != modules.window) {
        StrobeStringId id = intern_name(module);
        if (!strobe_string_is_lasting(id))
            return 0;
        module->name = id;
        module->window = modules.window;
    }
    return module->name;
}

StrobeStringId modules_name_again(PyObject *frame, int64_t number)
{
    const Module *module = module_of(frame);

    return module && module->number == number ? intern_name(module) : 0;
}
