/* SPDX-License-Identifier: Apache-2.0 */
/* Writes arguments that are not tensors as JSON. Part of torch_backend.cpp. */
#ifndef STROBE_TORCH_VALUES_H
#define STROBE_TORCH_VALUES_H

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "torch_text.h"

namespace
{

constexpr size_t VALUES_MAX = 1000; /* maximum number of items of a list that are written */

template <size_t size> void append_literal(Text &text, const char (&token)[size])
{
    text.append(token, size - 1);
}

/* Appends bytes as a part of a JSON text. Does not change invalid UTF-8, because the exporters
 * replace it. */
void append_escaped(Text &text, const std::string &bytes)
{
    for (const char byte : bytes) {
        char code[8];
        if (byte == '"' || byte == '\\')
            text.append("\\", 1);
        if (static_cast<unsigned char>(byte) >= 0x20) {
            text.append(&byte, 1);
            continue;
        }
        const int length = std::snprintf(code, sizeof code, "\\u%04x", byte);
        text.append(code, static_cast<size_t>(length));
    }
}

void append_double(Text &text, double value)
{
    char digits[40];
    int length = std::snprintf(digits, sizeof digits, "%.17g", value);
    for (int precision = 1; precision < 17 && std::isfinite(value); precision++) {
        char fewer[40];
        const int n = std::snprintf(fewer, sizeof fewer, "%.*g", precision, value);
        if (std::strtod(fewer, nullptr) != value)
            continue;
        std::memcpy(digits, fewer, static_cast<size_t>(n) + 1);
        length = n;
        break;
    }
    text.append(digits, static_cast<size_t>(length));
}

void append_value(Text &text, const c10::IValue &value);

void append_list(Text &text, const c10::IValue &value)
{
    const auto items = value.toListRef();
    append_literal(text, "[");
    for (size_t i = 0; i < items.size() && i < VALUES_MAX; i++) {
        if (i)
            append_literal(text, ", ");
        append_value(text, items[i]);
    }
    if (items.size() > VALUES_MAX)
        append_literal(text, ", ...");
    append_literal(text, "]");
}

/* Appends the value in Python's notation; appends nothing for tensors, None and objects. */
void append_value(Text &text, const c10::IValue &value)
{
    if (value.isBool()) {
        if (value.toBool())
            append_literal(text, "True");
        else
            append_literal(text, "False");
    } else if (value.isInt()) {
        text.append_number(value.toInt());
    } else if (value.isDouble()) {
        append_double(text, value.toDouble());
    } else if (value.isComplexDouble()) {
        const auto number = value.toComplexDouble();
        append_literal(text, "complex(");
        append_double(text, number.real());
        append_literal(text, ", ");
        append_double(text, number.imag());
        append_literal(text, ")");
    } else if (value.isString()) {
        append_escaped(text, value.toStringRef());
    } else if (value.isDevice()) {
        append_escaped(text, value.toDevice().str());
    } else if (value.isList() && !value.isTensorList()) {
        append_list(text, value);
    }
}

/* Appends a JSON array with one text for each input. */
void append_values(Text &text, c10::ArrayRef<const c10::IValue> inputs)
{
    append_literal(text, "[");
    for (size_t i = 0; i < inputs.size(); i++) {
        if (i)
            append_literal(text, ", ");
        append_literal(text, "\"");
        append_value(text, inputs[i]);
        append_literal(text, "\"");
    }
    append_literal(text, "]");
}

} // namespace

#endif
