# SPDX-License-Identifier: Apache-2.0
"""The mock host for Python tests of collectors: loads a plugin into this interpreter's process."""

import collections
import ctypes
import os
import subprocess
import sys

PLUGINS = os.environ.get('STROBE_TEST_PLUGINS', '.')

Record = collections.namedtuple('Record', 'kind name begin end thread track fields')


class _Kind(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_uint32), ('shape', ctypes.c_uint32),
                ('name', ctypes.c_char_p), ('summary', ctypes.c_char_p),
                ('fields', ctypes.c_void_p), ('n_fields', ctypes.c_uint32),
                ('reserved', ctypes.c_uint32)]


class _Record(ctypes.Structure):
    _fields_ = [('kind', ctypes.POINTER(_Kind)), ('fields', ctypes.c_void_p),
                ('name', ctypes.c_void_p), ('name_length', ctypes.c_size_t),
                ('begin', ctypes.c_uint64), ('end', ctypes.c_uint64), ('thread', ctypes.c_uint64),
                ('track', ctypes.c_uint32), ('size', ctypes.c_uint32)]


class _Probe(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_uint32), ('available', ctypes.c_int32),
                ('reason', ctypes.c_char_p), ('hint', ctypes.c_char_p)]


def _library():
    library = ctypes.CDLL(os.path.join(PLUGINS, 'common', 'libstrobe-mock-host.so'))
    library.strobe_mock_host_load.restype = ctypes.c_void_p
    library.strobe_mock_host_n_records.restype = ctypes.c_size_t
    library.strobe_mock_host_record.restype = ctypes.POINTER(_Record)
    library.strobe_mock_host_integer.restype = ctypes.c_int64
    for name in ('n_open', 'n_dropped', 'n_lost'):
        getattr(library, 'strobe_mock_host_' + name).restype = ctypes.c_uint64
    for name in ('text', 'errors', 'messages', 'complaints'):
        getattr(library, 'strobe_mock_host_' + name).restype = ctypes.c_char_p
    return library


class MockHost:
    """One collector and its host. Life-cycle calls return the collector's status."""

    def __init__(self, name, **options):
        self.library = _library()
        self.mock = ctypes.c_void_p(
            self._call('load', os.path.join(PLUGINS, name + '.so').encode(), None))
        if not self.mock:
            raise RuntimeError(f'Cannot load collector: name="{name}"')
        self._call('companions', self.mock, PLUGINS.encode())
        for option, value in options.items():
            if self._call('option', self.mock, option.encode(), str(value).encode()) != 0:
                raise ValueError(f'Cannot set option: {option}="{value}"')

    def _call(self, name, *arguments):
        return getattr(self.library, 'strobe_mock_host_' + name)(*arguments)

    def open(self):
        return self._call('open', self.mock)

    def start(self):
        return self._call('start', self.mock)

    def stop(self):
        return self._call('stop', self.mock)

    def close(self):
        return self._call('close', self.mock)

    def free(self):
        self._call('free', self.mock)

    def clear(self):
        self._call('clear', self.mock)

    def probe(self, question):
        answer = _Probe()
        self._call('probe', self.mock, question, ctypes.byref(answer))
        return answer.available, answer.reason, answer.hint

    def count(self):
        return self._call('n_records', self.mock)

    def lost(self, cause):
        return self._call('n_lost', self.mock, cause)

    def dropped(self):
        return self._call('n_dropped', self.mock)

    def open_spans(self):
        return self._call('n_open', self.mock)

    def complaints(self):
        return self._call('complaints', self.mock).decode()

    def errors(self):
        return self._call('errors', self.mock).decode()

    def records(self, integers=(), texts=()):
        """All records, with the named fields in `fields`."""
        found = []
        for index in range(self.count()):
            record = self._call('record', self.mock, ctypes.c_size_t(index))
            raw = record.contents
            fields = {f: self._call('integer', record, f.encode()) for f in integers}
            fields.update({f: self._call('text', self.mock, record, f.encode()).decode()
                           for f in texts})
            name = ctypes.string_at(raw.name, raw.name_length).decode('utf-8', 'replace')
            found.append(Record(raw.kind.contents.name.decode(), name, raw.begin, raw.end,
                                raw.thread, raw.track, fields))
        return found


def errors_if_free_threaded(name):
    """What a collector says as it is opened where the interpreter calls itself free-threaded."""
    script = ('import ctypes, sys; sys.path.insert(0, sys.argv[1])\n'
              'from mock_host import MockHost\n'
              'get_version = ctypes.pythonapi.Py_GetVersion\n'
              'get_version.restype = ctypes.c_void_p\n'
              'text = b"3.13.5 experimental free-threading build (main) [GCC]\\0"\n'
              'ctypes.memmove(get_version(), text, len(text))\n'
              'host = MockHost(sys.argv[2])\n'
              'print(host.open() != 0, host.errors(), end="")\n')
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, '-c', script, folder, name], capture_output=True,
                          text=True, timeout=60)
    return done.stdout + done.stderr
