# SPDX-License-Identifier: Apache-2.0
"""cases.py CASE: each case uses one feature as Python programs do, and prints what it finds."""

import asyncio
import contextlib
import ctypes
import faulthandler
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import threading

N_CALLS = 2000
OTHER_USER = 65534
LIBC = ctypes.CDLL(None, use_errno=True)
STATUS = "SigP|SigB|SigI|SigC|Shd|Cap|Seccomp|NoNewPrivs|Groups|Uid|Gid|Umask|Threads|Cpus_allowed|TracerPid"


def work():
    """The calls of this function are counted."""


def call():
    for _ in range(N_CALLS):
        work()


# A process that records keeps the variables by which its libraries load collectors.
COLLECTOR_VARIABLES = ["INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH", "MSTX_INJECTION_PATH", "OPENCL_LAYERS"]


def print_state():
    with open("/proc/self/status", encoding="utf-8") as file:
        print("".join(line for line in file if re.match(STATUS, line)), end="")
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        if os.path.exists("/proc/self/fd/" + name):
            print(name, re.sub("[0-9]+", "N", os.readlink("/proc/self/fd/" + name)))
    print("limits", [resource.getrlimit(which) for which in range(16)])
    print("folder", os.getcwd())
    others = ["LD_PRELOAD", "PYTHONPATH", *COLLECTOR_VARIABLES,
              *os.environ.get("STROBE_RUN_VARIABLES", "").split(":")]
    print(sorted((name, value) for name, value in os.environ.items()
                 if not name.startswith(("STROBE_", "COMPAT_")) and name not in others))
    print("handlers", [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())
                       if not callable(signal.getsignal(number))])
    print("hooks", sys.getprofile(), sys.gettrace(), threading.active_count(), sys.flags, sys.argv)
    try:
        print("a child", os.waitpid(-1, os.WNOHANG)[0])
    except ChildProcessError:
        print("no child")


def show_state():
    call()
    sys.setprofile(None)
    print_state()


def close_descriptors():
    call()
    os.closerange(3, 1024)
    files = [open("own-%d" % number, "w+", encoding="utf-8") for number in range(8)]
    call()
    for file in files:
        file.write("mine")
        file.seek(0)
        print(file.fileno(), file.read())
        file.close()
        os.unlink(file.name)


def use_up_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    held = []
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        print(len(held), "descriptors, then", error)
    call()
    for descriptor in held:
        os.close(descriptor)


def keep_capabilities():
    """glibc changes the ids of every thread, and ends a program if a thread has other
    capabilities."""
    call()
    assert LIBC.prctl(8, 1, 0, 0, 0) == 0  # PR_SET_KEEPCAPS
    os.setgroups([])
    os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
    os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
    call()
    print(os.getresuid(), os.getresgid(), os.getgroups())


def enter_user_namespace():
    call()
    result = LIBC.unshare(0x10000000)  # CLONE_NEWUSER
    print("user namespace", os.strerror(ctypes.get_errno()) if result else "entered")
    call()


def use_threads():
    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(threading.active_count(), "thread")


def fork_and_go_on():
    call()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        call()
        print("in the child")
        sys.stdout.flush()
        os._exit(3)
    print("child ended with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    call()


def execute():
    """Executes Python again, and then a shell, in the same process."""
    print("first")
    sys.stdout.flush()
    text = "print('second', flush=True); import os; os.execlp('sh', 'sh', '-c', 'echo third; exit 4')"
    os.execl(sys.executable, sys.executable, "-c", text)


def become_daemon():
    print("before")
    sys.stdout.flush()
    if os.fork():
        os._exit(4)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    call()
    print("the daemon")


def square(number):
    call()
    return number * number


def use_pool(method):
    """Uses worker processes of multiprocessing."""
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(method, pool.map(square, range(8), chunksize=2))
        pool.close()
        pool.join()


def load_data():
    """Uses worker processes of a DataLoader."""
    import torch

    class Squares(torch.utils.data.Dataset):
        def __len__(self):
            return 16

        def __getitem__(self, index):
            return torch.tensor([index * index])

    loader = torch.utils.data.DataLoader(Squares(), batch_size=4, num_workers=2)
    print([batch.flatten().tolist() for batch in loader])


async def use_loop():
    loop = asyncio.get_running_loop()
    seen = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, seen.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await seen.wait()
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", "echo from a child; exit 5", stdout=subprocess.PIPE
    )
    output, _ = await process.communicate()
    print(output, process.returncode)
    print(await asyncio.gather(*(asyncio.to_thread(square, number) for number in range(4))))
    print(await asyncio.gather(*(asyncio.sleep(0.001, number) for number in range(4))))


def run_loop():
    asyncio.run(use_loop())


def print_fault():
    """The handler prints the stack, and the signal ends the program."""
    faulthandler.enable(all_threads=False)
    call()
    ctypes.string_at(8)


def use_profiling_timer():
    """The program has its own sampling profiler."""
    samples = []
    signal.signal(signal.SIGPROF, lambda number, frame: samples.append(frame is not None))
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    while len(samples) < 20:
        call()
    print(all(samples), signal.getitimer(signal.ITIMER_PROF)[1])
    signal.setitimer(signal.ITIMER_PROF, 0)


def use_own_hooks():
    """Hooks of a debugger or a coverage tool are left alone."""
    lines = []

    def trace(frame, event, argument):
        if frame.f_code is work.__code__:
            lines.append(event)
        return trace

    sys.settrace(trace)
    work()
    sys.settrace(None)
    print(lines)


def end_with_error():
    call()
    raise ValueError("an error of the program")


def end_at_once():
    call()
    os.write(1, b"leaves\n")
    os._exit(6)


CASES = {
    "state": show_state,
    "close descriptors": close_descriptors,
    "few descriptors": use_up_descriptors,
    "keeps capabilities": keep_capabilities,
    "user namespace": enter_user_namespace,
    "threads": use_threads,
    "fork": fork_and_go_on,
    "exec": execute,
    "daemon": become_daemon,
    "pool by fork": lambda: use_pool("fork"),
    "pool by spawn": lambda: use_pool("spawn"),
    "pool by forkserver": lambda: use_pool("forkserver"),
    "data loader": load_data,
    "asyncio": run_loop,
    "fault handler": print_fault,
    "profiling timer": use_profiling_timer,
    "own hooks": use_own_hooks,
    "error": end_with_error,
    "leave at once": end_at_once,
}


def open_session():
    """If COMPAT_PROFILE names a folder, the program opens its own session."""
    folder = os.environ.get("COMPAT_PROFILE")
    if not folder:
        return contextlib.nullcontext()
    from strobe import profiler

    return profiler.profile(
        with_stack=True, on_trace_ready=profiler.tensorboard_trace_handler(folder)
    )


def main():
    with open_session():
        CASES[sys.argv[1]]()


if __name__ == "__main__":
    main()
