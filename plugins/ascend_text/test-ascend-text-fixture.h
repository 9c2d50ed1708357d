/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a small profiling folder and imports it with the mock host. */
#ifndef STROBE_ASCEND_TEXT_TEST_FIXTURE_H
#define STROBE_ASCEND_TEXT_TEST_FIXTURE_H

#include <glib.h>
#include <string.h>
#include <strobe/kinds.h>

#include "mock-importer-host.h"

typedef struct Fixture {
    char *folder, *output; /* `output` is the folder ASCEND_PROFILER_OUTPUT in `folder` */
    StrobeMockImporter *mock;
} Fixture;

void fixture_set_up(Fixture *f, gconstpointer unused);
void fixture_tear_down(Fixture *f, gconstpointer unused);

/* Writes a file into the output folder. Replaces each ' of `text` by ", which would have to be
 * escaped in C. */
void fixture_write(Fixture *f, const char *name, const char *text);
/* Writes trace_view.json with an array of these events, which are texts followed by NULL. */
void fixture_trace(Fixture *f, ...) G_GNUC_NULL_TERMINATED;

/* Imports the folder. The test fails if the importer violates the plugin contract. */
void fixture_import(Fixture *f);
/* Does the same as fixture_import() with the option `derived`, so that tables are also imported
 * that Ascend's tool has derived. */
void fixture_import_derived(Fixture *f);
/* Replaces the mock host by a new one, which has no records. */
void fixture_again(Fixture *f);

/* Returns the record number `n` of the kind, from 0; NULL: there are not that many. */
const StrobeMockImported *fixture_record(Fixture *f, const char *kind, guint n);
guint fixture_count(Fixture *f, const char *kind);
void fixture_assert_line(const char *text, const char *line);

#define INTEGER(record, field) strobe_mock_importer_integer(f->mock, record, field)
#define DOUBLE(record, field) strobe_mock_importer_double(f->mock, record, field)
#define TEXT(record, field) strobe_mock_importer_text(f->mock, record, field)
#define NAME(record) strobe_mock_importer_string(f->mock, (record)->name)

/* Layers of process 77 with device 3, numbered as in older traces. */
#define PYTHON "{'ph':'M','name':'process_name','pid':77,'tid':0,'args':{'name':'Python'}}"
#define LAYER(pid_, name_)                                                                         \
    "{'ph':'M','name':'process_name','pid':" pid_ ",'tid':0,'args':{'name':'" name_ "'}}"
#define LABEL(pid_, label_)                                                                        \
    "{'ph':'M','name':'process_labels','pid':" pid_ ",'tid':0,'args':{'labels':'" label_ "'}}"
#define ROW(pid_, tid_, name_)                                                                     \
    "{'ph':'M','name':'thread_name','pid':" pid_ ",'tid':" tid_ ",'args':{'name':'" name_ "'}}"
#define MARKS "79043"    /* 77 << 10 | 6 << 5 | 3 */
#define CANN "79075"     /* 77 << 10 | 7 << 5 | 3 */
#define HARDWARE "79267" /* 77 << 10 | 13 << 5 | 3 */
#define COUNTERS "79331" /* 77 << 10 | 15 << 5 | 3 */
#define TASK_ARGS                                                                                  \
    "'Model Id':4294967295,'Task Type':'AI_CORE','Physic Stream Id':2,'Task Id':7,'Batch Id':0,"   \
    "'Subtask Id':4294967295,'connection_id':12"
#define TASK(name_, ts_)                                                                           \
    "{'name':'" name_ "','pid':" HARDWARE ",'tid':2,'ts':'" ts_                                    \
    "','dur':2.2600625,'args':{" TASK_ARGS "},'ph':'X'}"

/* kernel_details.csv of the profiler's levels 1 and 0. */
#define KERNELS_L1                                                                                 \
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"       \
    "Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"               \
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"    \
    "aicore_time(us),aic_total_cycles\r\n"
#define KERNEL(step_, task_, name_, ts_)                                                           \
    step_ ",4294967295," task_ ",2," name_ ",MatMul,dynamic,AI_CORE," ts_                          \
          "\t,2.260,0,8,0,YES,'''2,3;3''',FLOAT;FLOAT,ND;ND,'''2,3''',FLOAT,ND,N/A,2.0,3600\r\n"
#define COLLECTIVE(step_, name_, ts_)                                                              \
    step_ ",4294967295,N/A,N/A," name_ ",hcom_allReduce_,N/A,HCCL," ts_                            \
          "\t,4.5,1.5,0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\r\n"
#define KERNELS_L0                                                                                 \
    "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\r\n"

#endif
