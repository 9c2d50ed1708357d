/* SPDX-License-Identifier: Apache-2.0 */
#include "external-tensors.h"

#include <string.h>

#define TYPE_CPU 0 /* at::DeviceType */
#define TYPE_NPU 20

enum { OBJECT, STORAGE, TYPE, ELEMENT, SIZES, STRIDES, DEVICE_TYPE, DEVICE, N_ITEMS };

/* Returns the part of the text before the first character that is in `marks`, or the whole text.
 * Moves `text` past this part and the character. */
static StrobeText take_part(StrobeText *text, const char *marks)
{
    StrobeText part = {text->bytes, 0};

    while (part.length < text->length && !strchr(marks, text->bytes[part.length]))
        part.length++;
    text->bytes += MIN(part.length + 1, text->length);
    text->length -= MIN(part.length + 1, text->length);
    return part;
}

static gboolean read_number(StrobeText text, guint base, guint64 most, guint64 *value)
{
    char digits[24];

    if (base == 16 && text.length > 2 && text.bytes[0] == '0' && text.bytes[1] == 'x') {
        text.bytes += 2;
        text.length -= 2;
    }
    if (!text.length || text.length >= sizeof digits)
        return FALSE;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    return g_ascii_string_to_unsigned(digits, base, 0, most, value, NULL);
}

static gboolean read_bytes(StrobeText element, StrobeText sizes, guint64 *bytes)
{
    guint64 size;

    if (!read_number(element, 10, 64, bytes))
        return FALSE;
    while (sizes.length) {
        if (!read_number(take_part(&sizes, ","), 10, G_MAXINT64, &size) ||
            __builtin_mul_overflow(*bytes, size, bytes))
            return FALSE;
    }
    return *bytes <= G_MAXINT64;
}

static gboolean read_tensor(StrobeText text, ExternalTensor *tensor)
{
    StrobeText items[N_ITEMS];
    guint64 type, device = 0;

    for (guint i = 0; i < N_ITEMS; i++)
        items[i] = take_part(&text, ";");
    if (!read_number(items[STORAGE], 16, G_MAXUINT64, &tensor->address) || !tensor->address ||
        !read_number(items[DEVICE_TYPE], 10, 127, &type) ||
        !read_bytes(items[ELEMENT], items[SIZES], &tensor->bytes))
        return FALSE;
    if (type == TYPE_NPU && !read_number(items[DEVICE], 10, 127, &device))
        return FALSE;
    tensor->device = type == TYPE_NPU ? (gint32)device : -1;
    return type == TYPE_NPU || type == TYPE_CPU;
}

gboolean external_tensor_next(StrobeText *text, ExternalTensor *tensor)
{
    while (text->length)
        if (read_tensor(take_part(text, ")}"), tensor))
            return TRUE;
    return FALSE;
}

gboolean external_operator_writes(const char *name)
{
    size_t length = strcspn(name, ".");

    return length > 2 && name[length - 1] == '_' && name[length - 2] != '_';
}
