/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tensors in torch_npu's raw files. For each tensor a text contains
 * "object;storage;type;bytes of an element;sizes;strides;type of device;device". */
#ifndef STROBE_MEMORY_FLOW_EXTERNAL_TENSORS_H
#define STROBE_MEMORY_FLOW_EXTERNAL_TENSORS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct ExternalTensor {
    guint64 address; /* address of the tensor's storage */
    guint64 bytes;   /* size of the tensor */
    gint32 device;   /* -1: the host */
} ExternalTensor;

/* Reads the next tensor of the text, and moves `text` past it. Skips tensors that cannot be read.
 * Returns FALSE if there are no more tensors. */
gboolean external_tensor_next(StrobeText *text, ExternalTensor *tensor);

/* Returns whether an operator with this name, for example "aten::add_", writes to its first tensor.
 * Raw files do not contain this property. */
gboolean external_operator_writes(const char *name);

#endif
