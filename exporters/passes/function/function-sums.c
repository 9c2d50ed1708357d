/* SPDX-License-Identifier: Apache-2.0 */
#include "function-sums.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/native-frame.h>

#include "sorted-values.h"

#define UNKNOWN "(unknown)"

/* A frame, which is a place in a function. */
typedef struct FunctionPlace {
    FunctionSum *function;
    StrobeStringId frame;
    gint64 amount; /* time or memory at this place */
} FunctionPlace;

struct FunctionSums {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GHashTable *places;    /* frame -> FunctionPlace */
    GHashTable *functions; /* text -> FunctionSum */
    guint64 n_stacks;
    gint64 amount;
};

FunctionSums *function_sums_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    FunctionSums *sums = g_new0(FunctionSums, 1);

    sums->host = host;
    sums->self = self;
    sums->places = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    sums->functions = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    return sums;
}

void function_sums_free(FunctionSums *sums)
{
    g_hash_table_unref(sums->places);
    g_hash_table_unref(sums->functions);
    g_free(sums);
}

/* Returns the function with this name, and adds it if necessary. Does not intern the name, because
 * interning while records arrive would wait for earlier passes. */
static FunctionSum *function_of(FunctionSums *sums, const char *name, gsize length)
{
    g_autofree char *text = g_strndup(name, length);
    FunctionSum *function = g_hash_table_lookup(sums->functions, text);

    if (function)
        return function;
    function = g_new0(FunctionSum, 1);
    function->text = text;
    g_hash_table_insert(sums->functions, g_steal_pointer(&text), function);
    return function;
}

static FunctionPlace *place_of(FunctionSums *sums, StrobeStringId frame)
{
    FunctionPlace *place = g_hash_table_lookup(sums->places, GUINT_TO_POINTER(frame));

    if (!place && g_hash_table_size(sums->places) >= FUNCTION_FRAMES_MAX) {
        frame = 0;
        place = g_hash_table_lookup(sums->places, GUINT_TO_POINTER(frame));
    }
    if (place)
        return place;
    place = g_new0(FunctionPlace, 1);
    place->frame = frame;
    StrobeText text = sums->host->string(sums->self, frame);
    if (text.length)
        place->function = function_of(sums, text.bytes,
                                      strobe_frame_parts(text.bytes, text.length).function_length);
    else
        place->function = function_of(sums, UNKNOWN, strlen(UNKNOWN));
    g_hash_table_insert(sums->places, GUINT_TO_POINTER(frame), place);
    return place;
}

/* Adds `amount` to the total of the place's function. Does nothing if the function was already
 * counted in this stack because it calls itself. */
static void add_total(FunctionSums *sums, FunctionPlace *place, gint64 amount)
{
    FunctionSum *function = place->function;

    if (function->last_stack == sums->n_stacks)
        return;
    function->last_stack = sums->n_stacks;
    function->total += amount;
    place->amount += amount;
    if (!function->largest || place->amount > function->largest->amount)
        function->largest = place;
}

void function_sums_add_stack(FunctionSums *sums, StrobeStackId stack, gint64 amount, guint64 count)
{
    static const StrobeStringId unknown[] = {0};
    const StrobeStringId *frames = unknown;
    size_t n = stack ? sums->host->stack_frames(sums->self, stack, &frames) : 1;

    if (n == 0) {
        frames = unknown;
        n = 1;
    }
    sums->n_stacks++;
    sums->amount += amount;
    for (size_t i = 0; i < n; i++) {
        FunctionPlace *place = place_of(sums, frames[i]);
        if (i == 0) {
            place->function->self += amount;
            place->function->count += count;
        }
        add_total(sums, place, amount);
    }
}

void function_sums_add_call(FunctionSums *sums, StrobeStringId frame, gint64 self, gint64 total)
{
    FunctionPlace *place = place_of(sums, frame);

    sums->n_stacks++;
    sums->amount += self;
    place->function->self += self;
    place->function->count++;
    add_total(sums, place, total);
}

gint64 function_sums_amount(const FunctionSums *sums)
{
    return sums->amount;
}

/* Interns the function's name, and the "file:line" of the place where it has the largest amount. */
static void name_function(const FunctionSums *sums, FunctionSum *function)
{
    StrobeText text = sums->host->string(sums->self, function->largest->frame);
    StrobeFrameParts parts = strobe_frame_parts(text.bytes, text.length);

    function->name = sums->host->intern(sums->self, function->text, strlen(function->text));
    if (!parts.file)
        return;
    g_autofree char *location =
        parts.line ? g_strdup_printf("%.*s:%u", (int)parts.file_length, parts.file, parts.line)
                   : g_strndup(parts.file, parts.file_length);
    function->location = sums->host->intern(sums->self, location, strlen(location));
}

static gint compare_functions(gconstpointer a, gconstpointer b)
{
    const FunctionSum *x = *(FunctionSum *const *)a, *y = *(FunctionSum *const *)b;

    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(x->text, y->text);
}

GPtrArray *function_sums_sorted(FunctionSums *sums)
{
    GPtrArray *sorted = sorted_values(sums->functions, compare_functions);

    for (guint i = 0; i < sorted->len; i++)
        name_function(sums, g_ptr_array_index(sorted, i));
    return sorted;
}
