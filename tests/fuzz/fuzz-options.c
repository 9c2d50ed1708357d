/* SPDX-License-Identifier: Apache-2.0 */
/* The input is the text that a user types after --collect and --schedule, and the value of options
 * of every type. */
#include <stdlib.h>
#include <string.h>
#include "config-file.h"
#include "fuzz.h"
#include "options.h"

const char fuzz_target[] = "options";

static const char *const choices[] = {"one", "two", "three", NULL};

#define OPTION(name_, type_, default_)                                                             \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = type_,                                                                                \
     .name = name_,                                                                                \
     .default_value = default_,                                                                    \
     .summary = "One."}

static const StrobeOption declared[] = {
    OPTION("flag", STROBE_OPTION_BOOL, "false"),
    OPTION("count", STROBE_OPTION_INT, "1"),
    OPTION("factor", STROBE_OPTION_DOUBLE, "0.5"),
    OPTION("text", STROBE_OPTION_STRING, ""),
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_ENUM,
     .name = "choice",
     .default_value = "one",
     .choices = choices,
     .summary = "One."},
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_LIST,
     .name = "list",
     .default_value = "one+two",
     .choices = choices,
     .summary = "One."},
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_DURATION,
     .name = "threshold",
     .default_value = "1ms",
     .min = 0,
     .max = 1e12,
     .summary = "One."},
    OPTION("size", STROBE_OPTION_BYTES, "64MB"),
    OPTION("path", STROBE_OPTION_PATH, ""),
};

static void set_all(GPtrArray *pairs)
{
    g_autoptr(GError) error = NULL;
    StrobeOptions *options =
        strobe_options_new(declared, G_N_ELEMENTS(declared), "collector fuzz", &error);

    FUZZ_REQUIRE(options && !error);
    FUZZ_REQUIRE(pairs->len % 2 == 0);
    for (guint i = 0; i < pairs->len; i += 2) {
        const char *name = g_ptr_array_index(pairs, i), *value = g_ptr_array_index(pairs, i + 1);
        gboolean ok = strobe_options_set_text(options, name, value, "--collect", &error);
        FUZZ_REQUIRE(ok == !error);
        g_clear_error(&error);
        /* sets each option too, because the input may have any name */
        for (guint k = 0; k < G_N_ELEMENTS(declared); k++) {
            strobe_options_set_text(options, declared[k].name, value, "--collect", &error);
            g_clear_error(&error);
        }
    }
    FUZZ_REQUIRE(strobe_options_int(options, "threshold") <= (gint64)1e12);
    FUZZ_REQUIRE(strobe_options_text(options, "text"));
    strobe_options_free(options);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    g_autofree char *text = g_strndup((const char *)bytes, n);
    g_autoptr(GPtrArray) pairs = NULL;
    g_autoptr(GError) error = NULL;
    gint64 value;

    g_autofree char *name = strobe_options_split(text, &pairs, &error);
    FUZZ_REQUIRE((name != NULL) == (error == NULL));
    if (name)
        set_all(pairs);
    g_clear_error(&error);
    strobe_parse_bytes(text, &value);
    strobe_parse_duration(text, &value);
    StrobeConfig *config = strobe_config_parse(NULL, "fuzz", &error);
    FUZZ_REQUIRE(config);
    strobe_config_set_section(config, "schedule", text, &error);
    g_clear_error(&error);
    strobe_config_add_collector(config, text, &error);
    g_clear_error(&error);
    strobe_config_add_collector(config, text, &error);
    g_clear_error(&error);
    g_autofree char *json = strobe_config_to_json(config);
    FUZZ_REQUIRE(json);
    strobe_config_free(config);
    return 0;
}
