/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions as they are written in C++. */
#ifndef STROBE_PASSES_DEMANGLE_H
#define STROBE_PASSES_DEMANGLE_H

#include <glib.h>
#include <strobe/exporter.h>

/* "_Z4takev (program)" as "take() (program)": what is behind the first blank stays. NULL: it is no
 * name of C++, none that can be taken apart, one whose text would be endless, or this Strobe was
 * built without libiberty. To be freed. */
char *strobe_demangle_frame(StrobeText frame);

#endif
