/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves frames of native code. A separate process, strobe-symbols, reads the ELF files: a
 * damaged or malicious file can end only that process. Only one thread at a time may use a
 * StrobeNativeSymbols. */
#ifndef STROBE_CORE_NATIVE_SYMBOLS_H
#define STROBE_CORE_NATIVE_SYMBOLS_H

#include <glib.h>

typedef struct StrobeNativeSymbols StrobeNativeSymbols;

/* `program` is the path of the program that resolves frames; NULL: the strobe-symbols of this
 * installation. Its process is started when the first frame is resolved. */
StrobeNativeSymbols *strobe_native_symbols_new(const char *program);
void strobe_native_symbols_free(StrobeNativeSymbols *symbols);

/* Says that the recorded program ran on another machine. After this call objects without a build-id
 * are not looked up, except those of strobe_native_symbols_move(). */
void strobe_native_symbols_set_elsewhere(StrobeNativeSymbols *symbols);
/* Like strobe_native_symbols_set_elsewhere; also says that the files at or below the path `from` on
 * the other machine are at `to` on this machine. */
void strobe_native_symbols_move(StrobeNativeSymbols *symbols, const char *from, const char *to);

/* Returns the functions at a frame's address as texts "function (object) file:line", innermost
 * first: all functions except the last are inlined. If no line is known: "function (object)". If no
 * name is known: "object+0x1200", the function's begin. If nothing is known: "object+0x1234", the
 * frame's address. NULL: the text is not a frame of native code. */
char **strobe_native_symbols_resolve(StrobeNativeSymbols *symbols, const char *frame);

#endif
