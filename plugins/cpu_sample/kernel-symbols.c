/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel-symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Symbol {
    uint64_t address;
    size_t text; /* offset of the symbol's name in `texts` */
} Symbol;

struct KernelSymbols {
    Symbol *symbols; /* sorted by address */
    size_t n, room;
    char *texts;
    size_t used, texts_room;
    FILE *file; /* NULL: all symbols have been read */
};

#define LINES_AT_ONCE 8192

static int add_text(KernelSymbols *symbols, const char *name, const char *module)
{
    size_t length = strlen(name) + strlen(module) + 4;

    if (symbols->used + length > symbols->texts_room) {
        size_t room = (symbols->texts_room + length) * 2;
        char *more = realloc(symbols->texts, room);
        if (!more)
            return -1;
        symbols->texts = more;
        symbols->texts_room = room;
    }
    symbols->used +=
        1 + (size_t)snprintf(symbols->texts + symbols->used, length, "%s (%s)", name, module);
    return 0;
}

static int add_symbol(KernelSymbols *symbols, uint64_t address, const char *name,
                      const char *module)
{
    if (symbols->n == symbols->room) {
        size_t room = symbols->room ? symbols->room * 2 : 65536;
        Symbol *more = realloc(symbols->symbols, room * sizeof *more);
        if (!more)
            return -1;
        symbols->symbols = more;
        symbols->room = room;
    }
    symbols->symbols[symbols->n++] = (Symbol){address, symbols->used};
    return add_text(symbols, name, module);
}

static int compare_symbols(const void *a, const void *b)
{
    const Symbol *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Adds the symbol in a line of the form "address type name [module]". */
static int take_line(KernelSymbols *symbols, const char *line)
{
    unsigned long long address;
    char type, name[512], module[64] = "kernel";
    int n = sscanf(line, "%llx %c %511s [%63[^]]", &address, &type, name, module);

    if (n < 3 || address == 0 || !strchr("tTwW", type))
        return 0;
    return add_symbol(symbols, address, name, module);
}

KernelSymbols *kernel_symbols_open(const char *path)
{
    KernelSymbols *symbols = calloc(1, sizeof *symbols);

    if (symbols)
        symbols->file = fopen(path, "re");
    return symbols;
}

static void finish_symbols(KernelSymbols *symbols)
{
    fclose(symbols->file);
    symbols->file = NULL;
    if (symbols->n)
        qsort(symbols->symbols, symbols->n, sizeof *symbols->symbols, compare_symbols);
}

int kernel_symbols_read(KernelSymbols *symbols)
{
    char *line = NULL;
    size_t size = 0;

    for (int i = 0; symbols->file && i < LINES_AT_ONCE; i++)
        if (getline(&line, &size, symbols->file) <= 0 || take_line(symbols, line) != 0)
            finish_symbols(symbols);
    free(line);
    return symbols->file == NULL;
}

void kernel_symbols_free(KernelSymbols *symbols)
{
    if (!symbols)
        return;
    if (symbols->file)
        fclose(symbols->file);
    free(symbols->symbols);
    free(symbols->texts);
    free(symbols);
}

void kernel_symbols_name(const KernelSymbols *symbols, uint64_t address, char *text, size_t size)
{
    size_t low = 0, high = symbols ? symbols->n : 0;

    while (low < high) { /* searches for the first symbol that begins after the address */
        size_t middle = (low + high) / 2;
        if (symbols->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    snprintf(text, size, "%s", low ? symbols->texts + symbols->symbols[low - 1].text : "kernel");
}
