/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as data. Parsing, checking, `strobe plugins NAME`, the config template and the
 * reference page all use one declaration. A plugin never sees an invalid value or a missing
 * default. Since ABI 1.0.
 */
#ifndef STROBE_OPTION_H
#define STROBE_OPTION_H

#include <stdint.h>

enum {
    STROBE_OPTION_BOOL = 1,   /* true, false; on, off; yes, no; 1, 0 */
    STROBE_OPTION_INT = 2,    /* decimal, min..max */
    STROBE_OPTION_DOUBLE = 3, /* decimal, min..max */
    STROBE_OPTION_STRING = 4, /* any text */
    STROBE_OPTION_ENUM = 5,   /* one of choices */
    STROBE_OPTION_LIST = 6,   /* texts joined by '+'; each must be one of the choices, if there
                               * are any */
    STROBE_OPTION_DURATION =
        7,                   /* number and unit ns, us, ms, s, min; stored in ns, min..max in ns */
    STROBE_OPTION_BYTES = 8, /* number and unit B, KB, MB, GB, also K, KiB ... (powers of 1024);
                                min..max in bytes */
    STROBE_OPTION_PATH = 9,  /* a file or folder name; a value that a capture stores is ignored */
    STROBE_OPTION_KINDS = 10 /* kinds joined by '+', which the pass or exporter receives in addition
                              * to those in StrobeComponent.wants */
};

enum {
    STROBE_OPTION_REQUIRED = 1u << 0 /* has no default, so the user must set the option */
};

typedef struct StrobeOption {
    uint32_t struct_size;
    uint32_t type;              /* STROBE_OPTION_* */
    const char *name;           /* snake_case */
    const char *default_value;  /* as a user would type it; "" is an empty text or list */
    double min, max;            /* both 0: no limit; only max is 0: no upper limit */
    const char *const *choices; /* NULL-terminated; NULL: none */
    const char *summary;        /* one sentence */
    uint32_t flags;             /* STROBE_OPTION_REQUIRED */
    uint32_t reserved;
} StrobeOption;

#endif
