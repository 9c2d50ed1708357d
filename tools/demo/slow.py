# SPDX-License-Identifier: Apache-2.0
"""The training of train.py with frequent mistakes: most of its time is waiting.

`strobe run -- python3 slow.py` and `strobe report` show the reasons. `--mended` is the same training without the mistakes.
With `--device` it also measures images on an OpenCL device, without waiting for the device in the loop.
"""

import argparse
import ctypes
import gc
import math

import torch
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset, TensorDataset
from train import BATCH, SHAPES, SIZE, ShapeNet, make_batch

STEPS = 16
KEPT = 400000  # small objects that live as long as the training

CONTRAST = b"""
kernel void contrast(global const float *images, global float *out)
{
    size_t at = get_global_id(0);
    float sum = 0;
    for (int round = 0; round < 500; round++)
        for (int i = 0; i < 1024; i++)
            sum += fabs(images[at * 1024 + i] - sum / 1024);
    out[at] = sum;
}
"""


class DrawnShapes(Dataset):
    """Draws rings when they are requested, point by point, at three times the size for soft
    edges."""

    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return self.steps * BATCH

    def __getitem__(self, index):
        x, y, label = 30 + index % 36, 30 + index % 33, index % len(SHAPES)
        points = [
            [float(abs(math.hypot(row - y, column - x) - 18) < 2) for column in range(3 * SIZE)]
            for row in range(3 * SIZE)
        ]
        return functional.avg_pool2d(torch.tensor(points).unsqueeze(0), 3), label


class Sample:
    """Refers to its batch, which refers to it, so only the garbage collector frees them."""

    def __init__(self, batch, label):
        self.batch, self.label = batch, label


class Device:
    """Measures the contrast of images on the first OpenCL device."""

    def __init__(self):
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("Context", "CommandQueue", "Buffer", "ProgramWithSource", "Kernel"):
            getattr(self.cl, "clCreate" + name).restype = ctypes.c_void_p
        platform, device = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
        every = ctypes.c_uint64(0xFFFFFFFF)
        self.check(self.cl.clGetDeviceIDs(platform, every, 1, ctypes.byref(device), None))
        context = self.cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None)
        self.context = ctypes.c_void_p(context)
        self.queue = ctypes.c_void_p(
            self.cl.clCreateCommandQueue(self.context, device, ctypes.c_uint64(0), None)
        )
        text = ctypes.c_char_p(CONTRAST)
        program = ctypes.c_void_p(
            self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, None)
        )
        self.check(self.cl.clBuildProgram(program, 0, None, b"", None, None))
        self.kernel = ctypes.c_void_p(self.cl.clCreateKernel(program, b"contrast", None))
        self.images = self.add_argument(0, BATCH * SIZE * SIZE * 4)
        self.add_argument(1, BATCH * 4)
        self.measure(torch.zeros(BATCH, 1, SIZE, SIZE))
        self.wait()

    def add_argument(self, place, size):
        flags = ctypes.c_uint64(1)  # CL_MEM_READ_WRITE
        buffer = self.cl.clCreateBuffer(self.context, flags, ctypes.c_size_t(size), None, None)
        buffer = ctypes.c_void_p(buffer)
        size = ctypes.c_size_t(ctypes.sizeof(buffer))
        self.check(self.cl.clSetKernelArg(self.kernel, place, size, ctypes.byref(buffer)))
        return buffer

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError("OpenCL failed: %d" % status)

    def measure(self, images):
        """Starts to measure a batch, and returns before the device has finished."""
        pixels, size = ctypes.c_void_p(images.data_ptr()), ctypes.c_size_t(images.numel() * 4)
        self.check(
            self.cl.clEnqueueWriteBuffer(
                self.queue, self.images, 1, ctypes.c_size_t(0), size, pixels, 0, None, None
            )
        )
        count = ctypes.c_size_t(BATCH)
        self.check(
            self.cl.clEnqueueNDRangeKernel(
                self.queue, self.kernel, 1, None, ctypes.byref(count), None, 0, None, None
            )
        )
        self.check(self.cl.clFlush(self.queue))

    def wait(self):
        self.check(self.cl.clFinish(self.queue))


def find_device():
    """The OpenCL device; None if there is none."""
    try:
        return Device()
    except (OSError, RuntimeError) as error:
        print("Without a device: %s" % error)
        return None


def make_loader(steps, is_mended):
    if not is_mended:
        return DataLoader(DrawnShapes(steps), batch_size=BATCH)
    generator = torch.Generator().manual_seed(2)
    batches = [make_batch(generator) for _ in range(steps)]
    images, labels = (torch.cat(parts) for parts in zip(*batches))
    return DataLoader(TensorDataset(images, labels), batch_size=BATCH)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mended", action="store_true")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    device = find_device() if options.device or not options.mended else None
    model = ShapeNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    seen = [] if options.mended else [[number] for number in range(KEPT)]
    for images, labels in make_loader(options.steps, options.mended):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        if device:
            device.measure(images)
            if not options.mended:
                device.wait()
        if not options.mended:
            batch = []
            batch += [Sample(batch, label) for label in labels]
            seen.append(labels.tolist())
            gc.collect()
        optimizer.step()
    if device:
        device.wait()


if __name__ == "__main__":
    main()
