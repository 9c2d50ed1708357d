/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as torch_npu's raw files describe them, in texts: for each one
 * "object;storage;type;bytes of an element;sizes;strides;type of device;device". */
#ifndef STROBE_MEMORY_TIMELINE_EXTERNAL_TENSORS_H
#define STROBE_MEMORY_TIMELINE_EXTERNAL_TENSORS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct ExternalTensor {
    guint64 address; /* of its storage */
    guint64 bytes;   /* of the tensor */
    gint32 device;   /* -1: the host */
} ExternalTensor;

/* The next tensor of a text; `text` goes on behind it. FALSE: there is none. What cannot be read is
 * left out. */
gboolean external_tensor_next(StrobeText *text, ExternalTensor *tensor);

/* Does an operator of this name write to its first tensor ("aten::add_")? Raw files do not say. */
gboolean external_operator_writes(const char *name);

#endif
