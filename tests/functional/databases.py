# SPDX-License-Identifier: Apache-2.0
"""Reads databases of a profiler for comparison: replaces ids, which each writer assigns
differently, by the texts, connections and call chains that they stand for."""

import collections
import sqlite3

VIEWER = {"OVERLAP_ANALYSIS", "status_info", "sqlite_sequence", "connectionCats"}
VIEWER_COLUMNS = {"depth", "waitNs"}
TEXTS = {
    "TASK": "taskType",
    "COMPUTE_TASK_INFO": "name taskType opType inputFormats inputDataTypes inputShapes outputFormats"
                         " outputDataTypes outputShapes attrInfo opState hf32Eligible gridDim",
    "COMMUNICATION_TASK_INFO": "name taskType groupName",
    "COMMUNICATION_OP": "opName groupName algType opType",
    "COMMUNICATION_SCHEDULE_TASK_INFO": "name taskType opType",
    "CANN_API": "name",
    "NPU_MEM": "type",
    "NPU_OP_MEM": "operatorName type component",
    "HBM": "type",
    "LLC": "mode",
    "QOS": "eventName",
    "SIO": "name",
    "OSRT_API": "name",
    "MSTX_EVENTS": "message domainId",
    "TASK_PMU_INFO": "name",
    "SAMPLE_PMU_TIMELINE": "coreType",
    "SAMPLE_PMU_SUMMARY": "metric coreType",
    "DPU_TASK": "opName args",
    "CCU": "name args",
    "PYTORCH_API": "name inputDtypes inputShapes",
    "PYTORCH_CALLCHAINS": "stack",
    "MEMORY_RECORD": "component",
    "OP_MEMORY": "name",
}


class Database:
    """One database file, opened so that it is not changed."""

    def __init__(self, path, has_viewers=False):
        self.file = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
        self.has_viewers = has_viewers
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        self.tables = {name: text for name, text in self.file.execute(sql)
                       if not (has_viewers and name in VIEWER)}
        self.texts = dict(self.ask("STRING_IDS", "id, value"))
        self.connections = self.lists("CONNECTION_IDS", "id, connectionId")
        self.chains = self.lists("PYTORCH_CALLCHAINS", "id, stackDepth, stack")

    def close(self):
        self.file.close()

    def ask(self, table, columns):
        if table not in self.tables:
            return []
        return self.file.execute('SELECT %s FROM "%s" ORDER BY rowid' % (columns, table)).fetchall()

    def lists(self, table, columns):
        found = collections.defaultdict(list)
        for number, *values in self.ask(table, columns):
            if table == "PYTORCH_CALLCHAINS":
                values[1] = self.texts.get(values[1])
            found[number].append(tuple(values))
        return found

    def columns(self, table):
        names = [row[1] for row in self.file.execute('PRAGMA table_info("%s")' % table)]
        return [name for name in names if not (self.has_viewers and name in VIEWER_COLUMNS)]

    def declaration(self, table):
        """The declaration of a table, without columns that a viewer added."""
        text = self.tables[table]
        if self.has_viewers:
            for column in VIEWER_COLUMNS:
                for kind in ("integer", "INTEGER"):
                    text = text.replace(", %s %s" % (column, kind), "")
        return text

    def indexes(self):
        sql = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"
        return sorted(row[0] for row in self.file.execute(sql))

    def rows(self, table):
        """Replaces the ids of a table by the rows that they stand for."""
        if table == "STRING_IDS":
            return collections.Counter(self.texts.values())
        if table == "CONNECTION_IDS":
            return collections.Counter(map(tuple, self.connections.values()))
        if table == "PYTORCH_CALLCHAINS":
            return collections.Counter(map(tuple, self.chains.values()))
        names = self.columns(table)
        found = self.ask(table, ", ".join('"%s"' % name.replace('"', '""')
                                          for name in names))
        return collections.Counter(
            tuple(self.value(table, *cell) for cell in zip(names, row)) for row in found)

    def value(self, table, column, value):
        is_of_texts = column in TEXTS.get(table, "").split()
        if table == "COMPUTE_TASK_INFO" and column == "blockDim" and "blockNum" in self.columns(table):
            is_of_texts = True
        if is_of_texts and value is not None:
            return "text", self.texts.get(value, value)
        if table == "PYTORCH_API" and column == "connectionId" and value is not None:
            return tuple(self.connections[value])
        if table == "PYTORCH_API" and column == "callchainId" and value is not None:
            return tuple(self.chains[value])
        return value
