/* SPDX-License-Identifier: Apache-2.0 */
#include "profile-file.h"

#include <errno.h>
#include <glib.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/native-frame.h>

#include "proto-message.h"

/* Numbers of the fields of messages in profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

struct ProfileFile {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const char *option;
    const ProfileValue *values;
    guint n_values;
    StrobeSafeFile *file;  /* NULL: no sample was added yet */
    GHashTable *locations; /* frame -> number, from 1 */
    GHashTable *functions; /* name and file -> number, from 1 */
    GHashTable *strings;   /* text -> index in the table */
    /* the messages of locations and functions, which are written after the samples */
    GByteArray *definitions;
    GByteArray *table; /* the table of strings */
    GByteArray *message, *part;
    guint64 n_samples;
    gint64 total; /* sum of the last value of all samples */
};

/* Returns the index of a text in the table of strings. Bytes that are not valid UTF-8 become
 * U+FFFD. */
static guint64 string_index(ProfileFile *file, const char *bytes, gsize length)
{
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)length);
    gpointer known;

    if (g_hash_table_lookup_extended(file->strings, text, NULL, &known))
        return GPOINTER_TO_UINT(known);
    const guint index = g_hash_table_size(file->strings);
    proto_add_bytes(file->table, PROFILE_STRING, text, strlen(text));
    g_hash_table_insert(file->strings, g_steal_pointer(&text), GUINT_TO_POINTER(index));
    return index;
}

static guint64 text_index(ProfileFile *file, const char *text)
{
    return string_index(file, text, strlen(text));
}

ProfileFile *profile_file_new(const StrobeConsumerHost *host, StrobeInstance *self,
                              const char *option, const ProfileValue *values)
{
    ProfileFile *file = g_new0(ProfileFile, 1);

    file->host = host;
    file->self = self;
    file->option = option;
    file->values = values;
    while (file->n_values < PROFILE_VALUES_MAX && values[file->n_values].type)
        file->n_values++;
    file->locations = g_hash_table_new(strobe_hash_of_pointer, g_direct_equal);
    file->functions = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    file->strings = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    file->definitions = g_byte_array_new();
    file->table = g_byte_array_new();
    file->message = g_byte_array_new();
    file->part = g_byte_array_new();
    text_index(file, ""); /* the format requires "" as the first string */
    return file;
}

void profile_file_free(ProfileFile *file)
{
    strobe_safe_file_discard(file->file);
    g_hash_table_unref(file->locations);
    g_hash_table_unref(file->functions);
    g_hash_table_unref(file->strings);
    g_byte_array_unref(file->definitions);
    g_byte_array_unref(file->table);
    g_byte_array_unref(file->message);
    g_byte_array_unref(file->part);
    g_free(file);
}

/* ---- definitions ---- */

static guint64 function_number(ProfileFile *file, StrobeText text, const StrobeFrameParts *parts)
{
    g_autofree char *key = g_strdup_printf("%.*s\n%.*s", (int)parts->function_length, text.bytes,
                                           (int)parts->file_length, parts->file ? parts->file : "");
    gpointer known = g_hash_table_lookup(file->functions, key);

    if (known)
        return GPOINTER_TO_UINT(known);
    const guint number = g_hash_table_size(file->functions) + 1;
    const guint64 name = string_index(file, text.bytes, parts->function_length);
    g_byte_array_set_size(file->message, 0);
    proto_add_number(file->message, FUNCTION_ID, number);
    proto_add_number(file->message, FUNCTION_NAME, name);
    proto_add_number(file->message, FUNCTION_SYSTEM_NAME, name);
    if (parts->file)
        proto_add_number(file->message, FUNCTION_FILE,
                         string_index(file, parts->file, parts->file_length));
    proto_add_message(file->definitions, PROFILE_FUNCTION, file->message);
    g_hash_table_insert(file->functions, g_steal_pointer(&key), GUINT_TO_POINTER(number));
    return number;
}

static guint64 location_number(ProfileFile *file, StrobeStringId frame)
{
    gpointer known = g_hash_table_lookup(file->locations, GUINT_TO_POINTER(frame));

    if (known)
        return GPOINTER_TO_UINT(known);
    const guint number = g_hash_table_size(file->locations) + 1;
    const StrobeText text = file->host->string(file->self, frame);
    const StrobeFrameParts parts = strobe_frame_parts(text.bytes, text.length);
    const guint64 function = function_number(file, text, &parts);
    g_byte_array_set_size(file->part, 0);
    proto_add_number(file->part, LINE_FUNCTION, function);
    proto_add_number(file->part, LINE_NUMBER, parts.line);
    g_byte_array_set_size(file->message, 0);
    proto_add_number(file->message, LOCATION_ID, number);
    proto_add_message(file->message, LOCATION_LINE, file->part);
    proto_add_message(file->definitions, PROFILE_LOCATION, file->message);
    g_hash_table_insert(file->locations, GUINT_TO_POINTER(frame), GUINT_TO_POINTER(number));
    return number;
}

/* ---- samples ---- */

static int open_file(ProfileFile *file)
{
    const StrobeMetadata *metadata = file->host->metadata(file->self);

    if (file->file)
        return 0;
    file->file = gzip_file_create(metadata->directory,
                                  file->host->option_text(file->self, file->option), TRUE);
    return file->file ? 0 : errno;
}

/* Writes a message as a field of the profile: the tag, the length and the message. */
static int write_field(ProfileFile *file, guint field, const GByteArray *message)
{
    g_autoptr(GByteArray) whole = g_byte_array_sized_new(message->len + 16);

    proto_add_message(whole, field, message);
    return strobe_safe_file_write(file->file, (const char *)whole->data, whole->len);
}

int profile_file_add(ProfileFile *file, const StrobeStringId *frames, gsize n_frames,
                     StrobeStringId thread, const gint64 *values)
{
    g_autofree guint64 *locations = g_new(guint64, n_frames + 1);
    guint64 numbers[PROFILE_VALUES_MAX];
    int error = open_file(file);

    if (error)
        return error;
    for (gsize i = 0; i < n_frames; i++)
        locations[i] = location_number(file, frames[i]);
    for (guint i = 0; i < file->n_values; i++)
        numbers[i] = (guint64)values[i];
    g_byte_array_set_size(file->message, 0);
    proto_add_packed(file->message, SAMPLE_LOCATION, locations, (guint)n_frames);
    proto_add_packed(file->message, SAMPLE_VALUE, numbers, file->n_values);
    if (thread) {
        const StrobeText name = file->host->string(file->self, thread);
        g_byte_array_set_size(file->part, 0);
        proto_add_number(file->part, LABEL_KEY, text_index(file, "thread"));
        proto_add_number(file->part, LABEL_TEXT, string_index(file, name.bytes, name.length));
        proto_add_message(file->message, SAMPLE_LABEL, file->part);
    }
    file->n_samples += (guint64)values[0];
    file->total += values[file->n_values - 1];
    return write_field(file, PROFILE_SAMPLE, file->message);
}

/* ---- the end of the file ---- */

static void add_value_type(ProfileFile *file, GByteArray *profile, guint field,
                           const ProfileValue *value)
{
    g_byte_array_set_size(file->part, 0);
    proto_add_number(file->part, VALUE_TYPE, text_index(file, value->type));
    proto_add_number(file->part, VALUE_UNIT, text_index(file, value->unit));
    proto_add_message(profile, field, file->part);
}

int profile_file_finish(ProfileFile *file)
{
    g_autoptr(GByteArray) profile = g_byte_array_new();
    const StrobeMetadata *metadata = file->host->metadata(file->self);

    if (!file->file)
        return 0;
    for (guint i = 0; i < file->n_values; i++)
        add_value_type(file, profile, PROFILE_SAMPLE_TYPE, &file->values[i]);
    proto_add_number(profile, PROFILE_TIME, (guint64)metadata->window_begin_ns);
    proto_add_number(profile, PROFILE_DURATION,
                     (guint64)(metadata->window_end_ns - metadata->window_begin_ns));
    add_value_type(file, profile, PROFILE_PERIOD_TYPE, &file->values[file->n_values - 1]);
    proto_add_number(profile, PROFILE_PERIOD,
                     file->n_samples ? (guint64)file->total / file->n_samples : 0);
    proto_add_number(profile, PROFILE_COMMENT, text_index(file, metadata->command));
    g_byte_array_append(profile, file->definitions->data, file->definitions->len);
    g_byte_array_append(profile, file->table->data, file->table->len);
    int error = strobe_safe_file_write(file->file, (const char *)profile->data, profile->len);
    return error ? error : strobe_safe_file_finish(g_steal_pointer(&file->file));
}
