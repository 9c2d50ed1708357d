# SPDX-License-Identifier: Apache-2.0
"""kineto_trace.py OUT MEGABYTES [SEED]: writes a trace of about this size in the form of PyTorch's profiler, always
the same for a seed. It has steps with three levels of operators with shapes, Python frames around them, calls of the
runtime, kernels and copies with their arrows, and allocations."""

import random
import sys

BASE_NS = 1719853884000000000
PID = 1074

HEAD = """
{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-PG509-200", "totalGlobalMem": 42297524224,
      "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 108
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
  "record_shapes": 1,
  "with_stack": 1,
  "traceEvents": [
"""

OPERATOR = """  {
    "ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1074, "tid": %d,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "External id": %d,"Record function id": %d, "Concrete Inputs": ["", "", "%s"], "Input type": ["float", "float", "Scalar"], "Input Strides": [[%d, 1], [%d, 1], []], "Input Dims": [[%d, %d], [%d, %d], []], "Sequence number": %d, "Fwd thread id": %d, "Ev Idx": %d
    }
  },
"""
PYTHON = """  {
    "ph": "X", "cat": "python_function", "name": "%s", "pid": 1074, "tid": 1074,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "Python parent id": %d, "Python id": %d, "Ev Idx": %d
    }
  },
"""
CALL = """  {
    "ph": "X", "cat": "cuda_runtime", "name": "%s", "pid": 1074, "tid": %d,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "External id": %d, "cbid": 211, "correlation": %d
    }
  },
  {
    "ph": "s", "id": %d, "pid": 1074, "tid": %d, "ts": %.3f,
    "cat": "ac2g", "name": "ac2g"
  },
"""
KERNEL = """  {
    "ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "External id": %d, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": %d, "registers per thread": 32, "shared memory": 0, "blocks per SM": %.6f, "warps per SM": %.6f, "grid": [%d, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %%": 31
    }
  },
  {
    "ph": "f", "id": %d, "pid": 0, "tid": 7, "ts": %.3f,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
"""
MEMORY = """  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1074, "tid": %d,
    "ts": %.3f,
    "args": {
      "Total Reserved": %d, "Total Allocated": %d, "Bytes": %d, "Addr": %d, "Device Id": 0, "Device Type": 1, "Ev Idx": %d
    }
  },
"""
STEP = """  {
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d", "pid": 1074, "tid": 1074,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "External id": %d,"Record function id": 0, "Ev Idx": %d
    }
  },
"""
TAIL = """  {
    "name": "process_name", "ph": "M", "ts": 1.000, "pid": 1074, "tid": 0,
    "args": {
      "name": "python3"
    }
  },
  {
    "name": "thread_name", "ph": "M", "ts": 1.000, "pid": 1074, "tid": 1074,
    "args": {
      "name": "thread 1074 (python3)"
    }
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": %.3f
  }
  ],
  "traceName": "trace.json",
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": %d
}
"""

OPERATORS = [
    ("aten::linear", "aten::addmm", "aten::empty"),
    ("aten::conv2d", "aten::convolution", "aten::_convolution"),
    ("aten::relu", "aten::clamp_min", "aten::empty_like"),
    ("autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "aten::mm"),
]
KERNELS = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
    "ampere_sgemm_128x64_tn",
    "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4>(cutlass_80_tensorop_"
    "s1688gemm_128x64_16x6_nn_align4::Params)",
]


class Trace:
    """The text of the trace, and the numbers that increase from event to event."""

    def __init__(self, out, seed):
        self.out = out
        self.random = random.Random(seed)
        self.written = 0
        self.now = 1212075525586.016  # us since the base
        self.device = self.now
        self.next_id = 1
        self.index = 0
        self.step = 0

    def put(self, text):
        self.out.write(text)
        self.written += len(text)

    def event(self):
        self.index += 1
        return self.index

    def one_operator(self):
        names = self.random.choice(OPERATORS)
        thread = 1079 if "autograd" in names[0] else 1074
        begin, length = self.now, self.random.uniform(20, 200)
        rows, columns = self.random.choice((16, 64, 256)), self.random.choice((128, 768, 3072))
        identifier = self.next_id
        for level, name in enumerate(names):
            cut = length * level / 8
            self.put(OPERATOR % (
                name, thread, begin + cut, length - 2 * cut, identifier + level,
                identifier + level, "True" if level else "", columns, rows, rows, columns, columns,
                rows, identifier, 1 if thread != 1074 else 0, self.event()))
        self.put(MEMORY % (thread, begin + length / 2, 1 << 30, rows * columns * 4,
                           rows * columns * 4, 140000000000 + identifier * 512, self.event()))
        for frame in range(3):
            cut = length * (3 - frame) / 100
            self.put(PYTHON % (
                "torch/nn/modules/module.py(%d): _call_impl" % (1100 + frame * 7), begin - cut,
                length + 2 * cut, identifier + frame - 1, identifier + frame, self.event()))
        self.launch(identifier + 2, thread, begin + length * 3 / 8)
        self.next_id += 3
        self.now = begin + length * 1.1 + self.random.uniform(1, 20)

    def launch(self, identifier, thread, begin):
        correlation = identifier * 2
        took = self.random.uniform(3, 6)
        self.device = max(self.device, begin + took) + self.random.uniform(0, 3)
        length = self.random.uniform(2, 90)
        self.put(CALL % ("cudaLaunchKernel", thread, begin, took, identifier, correlation,
                         correlation, thread, begin))
        self.put(KERNEL % (self.random.choice(KERNELS), self.device, length, identifier,
                           correlation, self.random.random() * 8, self.random.random() * 32,
                           self.random.choice((108, 864, 2048)), correlation, self.device))
        self.device += length

    def one_step(self):
        begin = self.now
        for _ in range(400):
            self.one_operator()
        self.put(STEP % (self.step, begin - 5, self.now - begin + 10, self.next_id, self.event()))
        self.next_id += 1
        self.step += 1
        self.now += 100


def write(path, megabytes, seed=1):
    with open(path, "w", encoding="ascii", buffering=1 << 20) as out:
        trace = Trace(out, seed)
        trace.put(HEAD)
        while trace.written < megabytes * 1000000:
            trace.one_step()
        trace.put(TAIL % (trace.now, BASE_NS))
        return trace.index


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
