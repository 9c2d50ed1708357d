/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in torch_npu's raw files, as texts: for each one "object;storage;type;bytes of an
 * element;sizes;strides;type of device;device". */
#ifndef STROBE_MEMORY_FLOW_EXTERNAL_TENSORS_H
#define STROBE_MEMORY_FLOW_EXTERNAL_TENSORS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct ExternalTensor {
    guint64 address; /* of its storage */
    guint64 bytes;   /* of the tensor */
    gint32 device;   /* -1: the host */
} ExternalTensor;

/* The next tensor of a text; `text` moves past it. FALSE: the end. Skips unreadable tensors. */
gboolean external_tensor_next(StrobeText *text, ExternalTensor *tensor);

/* Whether an operator with this name ("aten::add_") writes to its first tensor, which raw files do
 * not state. */
gboolean external_operator_writes(const char *name);

#endif
