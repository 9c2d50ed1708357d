/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-internal.h"

#include <stdlib.h>
#include <string.h>

int strobe_mock_parse_bool(const char *text)
{
    static const char *const words[] = {"true", "on", "yes", "1", "false", "off", "no", "0"};
    for (int i = 0; i < 8; i++)
        if (strcmp(text, words[i]) == 0)
            return i < 4;
    return -1;
}

static int64_t unit_factor(uint32_t type, const char *unit)
{
    static const struct {
        uint32_t type;
        const char *unit;
        int64_t factor;
    } units[] = {{STROBE_OPTION_DURATION, "ns", 1},
                 {STROBE_OPTION_DURATION, "us", 1000},
                 {STROBE_OPTION_DURATION, "ms", 1000000},
                 {STROBE_OPTION_DURATION, "s", 1000000000},
                 {STROBE_OPTION_DURATION, "min", 60000000000},
                 {STROBE_OPTION_BYTES, "B", 1},
                 {STROBE_OPTION_BYTES, "KB", 1024},
                 {STROBE_OPTION_BYTES, "MB", 1048576},
                 {STROBE_OPTION_BYTES, "GB", 1073741824},
                 {STROBE_OPTION_INT, "", 1},
                 {STROBE_OPTION_DOUBLE, "", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].type == type && strcmp(units[i].unit, unit) == 0)
            return units[i].factor;
    return 0;
}

int strobe_mock_parse_number(uint32_t type, const char *text, double *value)
{
    char *unit;
    *value = strtod(text, &unit);
    int64_t factor = unit == text ? 0 : unit_factor(type, unit);
    *value *= (double)factor;
    return factor ? 0 : -1;
}

/* Are the first `length` bytes of `text` one of the choices? */
static int is_choice(const StrobeOption *option, const char *text, size_t length)
{
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        if (strlen(*choice) == length && memcmp(*choice, text, length) == 0)
            return 1;
    return !option->choices;
}

int strobe_mock_option_accepts(const StrobeOption *option, const char *text)
{
    double number;
    switch (option->type) {
    case STROBE_OPTION_BOOL:
        return strobe_mock_parse_bool(text) >= 0;
    case STROBE_OPTION_INT:
    case STROBE_OPTION_DOUBLE:
    case STROBE_OPTION_DURATION:
    case STROBE_OPTION_BYTES:
        return strobe_mock_parse_number(option->type, text, &number) == 0 &&
               ((option->min == 0 && option->max == 0) ||
                (number >= option->min && number <= option->max));
    case STROBE_OPTION_ENUM:
        return is_choice(option, text, strlen(text));
    case STROBE_OPTION_LIST:
        while (*text) {
            size_t length = strcspn(text, "+");
            if (!is_choice(option, text, length))
                return 0;
            text += length + (text[length] == '+');
        }
        return 1;
    default:
        return 1;
    }
}
