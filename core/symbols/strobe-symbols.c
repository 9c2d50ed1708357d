/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strobe-symbols: resolves frames of native code for the process at the other end of its standard
 * input and output (native-symbols.h). It is a separate program because object files may be damaged
 * or malicious: if it crashes, hangs or runs out of memory, this does not affect the reader of the
 * capture.
 *
 * It reads frames, each with a NUL at its end. For each frame it writes texts, each with a NUL at
 * its end: the number of functions at the frame's address, then for each function its name, source
 * file ("" if not known) and line, innermost first. All functions except the last are inlined.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jit-symbols.h"
#include "symbol-files.h"

#define MEMORY_MAX (2ull << 30)
#define SECONDS_MAX 20 /* maximum time for one frame */

static void limit_self(void)
{
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer maps more memory than this limit, but uses little \
                              */
    const struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    setrlimit(RLIMIT_DATA, &memory);
#endif
    signal(SIGALRM, SIG_DFL);
}

static void put_text(const char *text)
{
    fputs(text ? text : "", stdout);
    putchar(0);
}

static size_t resolve_frame(const StrobeNativeFrame *frame,
                            SourceFunction functions[SOURCE_FUNCTIONS_MAX])
{
    if (!jit_symbols_lists(frame))
        return symbol_files_resolve(frame, functions);
    functions[0] = (SourceFunction){.name = jit_symbols_find(frame)};
    return functions[0].name != NULL;
}

static void answer_request(const char *text, size_t length)
{
    SourceFunction functions[SOURCE_FUNCTIONS_MAX];
    StrobeNativeFrame frame;
    size_t n = 0;

    if (strobe_native_frame_read(text, length, &frame))
        n = resolve_frame(&frame, functions);
    printf("%zu%c", n, 0);
    for (size_t i = 0; i < n; i++) {
        put_text(functions[i].name);
        put_text(functions[i].file);
        printf("%d%c", functions[i].line, 0);
    }
    fflush(stdout);
}

int main(void)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length;

    limit_self();
    while ((length = getdelim(&text, &size, 0, stdin)) > 0) {
        alarm(SECONDS_MAX);
        answer_request(text, (size_t)length - (text[length - 1] == 0));
        alarm(0);
    }
    free(text);
    symbol_files_close();
    jit_symbols_close();
    return 0;
}
