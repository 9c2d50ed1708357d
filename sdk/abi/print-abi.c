/* SPDX-License-Identifier: Apache-2.0 */
/* Prints sizes, offsets and values that a compiled plugin or program relies on, one a line. */
#include <stdio.h>

#include <strobe/strobe-plugin.h>

#define STRUCT(type) printf("%s size %zu\n", #type, sizeof(type))
#define MEMBER(type, member)                                                                       \
    printf("  %s.%s offset %zu size %zu\n", #type, #member, offsetof(type, member),                \
           sizeof(((type *)0)->member))
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))
#define TEXT(name) printf("%s \"%s\"\n", #name, name)

static void print_option(void)
{
    STRUCT(StrobeOption);
    MEMBER(StrobeOption, struct_size);
    MEMBER(StrobeOption, type);
    MEMBER(StrobeOption, name);
    MEMBER(StrobeOption, default_value);
    MEMBER(StrobeOption, min);
    MEMBER(StrobeOption, max);
    MEMBER(StrobeOption, choices);
    MEMBER(StrobeOption, summary);
    MEMBER(StrobeOption, flags);
    MEMBER(StrobeOption, reserved);
}

static void print_record(void)
{
    STRUCT(StrobeField);
    MEMBER(StrobeField, name);
    MEMBER(StrobeField, type);
    MEMBER(StrobeField, reserved);
    MEMBER(StrobeField, unit);
    MEMBER(StrobeField, summary);
    STRUCT(StrobeKind);
    MEMBER(StrobeKind, struct_size);
    MEMBER(StrobeKind, shape);
    MEMBER(StrobeKind, name);
    MEMBER(StrobeKind, summary);
    MEMBER(StrobeKind, fields);
    MEMBER(StrobeKind, n_fields);
    MEMBER(StrobeKind, reserved);
    STRUCT(StrobeRecordHeader);
    MEMBER(StrobeRecordHeader, words);
    MEMBER(StrobeRecordHeader, kind);
    MEMBER(StrobeRecordHeader, name);
    STRUCT(StrobeTrack);
    MEMBER(StrobeTrack, struct_size);
    MEMBER(StrobeTrack, type);
    MEMBER(StrobeTrack, clock);
    MEMBER(StrobeTrack, device);
    MEMBER(StrobeTrack, id);
    MEMBER(StrobeTrack, name);
    MEMBER(StrobeTrack, group);
}

static void print_plugin(void)
{
    STRUCT(StrobeComponent);
    MEMBER(StrobeComponent, struct_size);
    MEMBER(StrobeComponent, type);
    MEMBER(StrobeComponent, flags);
    MEMBER(StrobeComponent, n_options);
    MEMBER(StrobeComponent, name);
    MEMBER(StrobeComponent, summary);
    MEMBER(StrobeComponent, options);
    MEMBER(StrobeComponent, kinds);
    MEMBER(StrobeComponent, wants);
    MEMBER(StrobeComponent, n_kinds);
    MEMBER(StrobeComponent, reserved);
    MEMBER(StrobeComponent, ops);
    STRUCT(StrobePlugin);
    MEMBER(StrobePlugin, struct_size);
    MEMBER(StrobePlugin, abi_minor);
    MEMBER(StrobePlugin, record_version);
    MEMBER(StrobePlugin, n_components);
    MEMBER(StrobePlugin, name);
    MEMBER(StrobePlugin, version);
    MEMBER(StrobePlugin, summary);
    MEMBER(StrobePlugin, license);
    MEMBER(StrobePlugin, vendor);
    MEMBER(StrobePlugin, url);
    MEMBER(StrobePlugin, components);
    STRUCT(StrobeProbe);
    MEMBER(StrobeProbe, struct_size);
    MEMBER(StrobeProbe, available);
    MEMBER(StrobeProbe, reason);
    MEMBER(StrobeProbe, hint);
}

static void print_collector(void)
{
    STRUCT(StrobeSpan);
    MEMBER(StrobeSpan, token);
    STRUCT(StrobeHost);
    MEMBER(StrobeHost, struct_size);
    MEMBER(StrobeHost, abi_minor);
    MEMBER(StrobeHost, kind);
    MEMBER(StrobeHost, track);
    MEMBER(StrobeHost, writer);
    MEMBER(StrobeHost, intern);
    MEMBER(StrobeHost, stack);
    MEMBER(StrobeHost, reserve);
    MEMBER(StrobeHost, commit);
    MEMBER(StrobeHost, reserve_bulk);
    MEMBER(StrobeHost, span_begin);
    MEMBER(StrobeHost, span_end);
    MEMBER(StrobeHost, now);
    MEMBER(StrobeHost, link_ids);
    MEMBER(StrobeHost, lost);
    MEMBER(StrobeHost, option_bool);
    MEMBER(StrobeHost, option_int);
    MEMBER(StrobeHost, option_double);
    MEMBER(StrobeHost, option_text);
    MEMBER(StrobeHost, companion);
    MEMBER(StrobeHost, log);
    MEMBER(StrobeHost, fail);
    STRUCT(StrobeCollectorOps);
    MEMBER(StrobeCollectorOps, struct_size);
    MEMBER(StrobeCollectorOps, reserved);
    MEMBER(StrobeCollectorOps, probe);
    MEMBER(StrobeCollectorOps, open);
    MEMBER(StrobeCollectorOps, warm);
    MEMBER(StrobeCollectorOps, start);
    MEMBER(StrobeCollectorOps, stop);
    MEMBER(StrobeCollectorOps, flush);
    MEMBER(StrobeCollectorOps, cool);
    MEMBER(StrobeCollectorOps, close);
    MEMBER(StrobeCollectorOps, sample);
    MEMBER(StrobeCollectorOps, sample_interval);
}

static void print_exporter(void)
{
    STRUCT(StrobeFieldView);
    MEMBER(StrobeFieldView, name);
    MEMBER(StrobeFieldView, unit);
    MEMBER(StrobeFieldView, summary);
    MEMBER(StrobeFieldView, type);
    MEMBER(StrobeFieldView, offset);
    STRUCT(StrobeKindView);
    MEMBER(StrobeKindView, name);
    MEMBER(StrobeKindView, summary);
    MEMBER(StrobeKindView, fields);
    MEMBER(StrobeKindView, n_fields);
    MEMBER(StrobeKindView, shape);
    MEMBER(StrobeKindView, id);
    MEMBER(StrobeKindView, derived);
    STRUCT(StrobeTrackView);
    MEMBER(StrobeTrackView, id);
    MEMBER(StrobeTrackView, type);
    MEMBER(StrobeTrackView, device);
    MEMBER(StrobeTrackView, reserved);
    MEMBER(StrobeTrackView, pid);
    MEMBER(StrobeTrackView, number);
    MEMBER(StrobeTrackView, name);
    MEMBER(StrobeTrackView, group);
    STRUCT(StrobeView);
    MEMBER(StrobeView, kind);
    MEMBER(StrobeView, fields);
    MEMBER(StrobeView, begin_ns);
    MEMBER(StrobeView, end_ns);
    MEMBER(StrobeView, track);
    MEMBER(StrobeView, name);
    MEMBER(StrobeView, flags);
    MEMBER(StrobeView, reserved);
    STRUCT(StrobeText);
    MEMBER(StrobeText, bytes);
    MEMBER(StrobeText, length);
    STRUCT(StrobeFacts);
    MEMBER(StrobeFacts, struct_size);
    MEMBER(StrobeFacts, rank);
    MEMBER(StrobeFacts, pid);
    MEMBER(StrobeFacts, host);
    MEMBER(StrobeFacts, command);
    MEMBER(StrobeFacts, strobe_version);
    MEMBER(StrobeFacts, window_begin_ns);
    MEMBER(StrobeFacts, window_end_ns);
    MEMBER(StrobeFacts, n_lost);
    MEMBER(StrobeFacts, n_stored);
    MEMBER(StrobeFacts, directory);
    MEMBER(StrobeFacts, complete);
    MEMBER(StrobeFacts, directory_path);
    STRUCT(StrobeConsumerHost);
    MEMBER(StrobeConsumerHost, struct_size);
    MEMBER(StrobeConsumerHost, abi_minor);
    MEMBER(StrobeConsumerHost, facts);
    MEMBER(StrobeConsumerHost, string);
    MEMBER(StrobeConsumerHost, stack_frames);
    MEMBER(StrobeConsumerHost, track);
    MEMBER(StrobeConsumerHost, track_count);
    MEMBER(StrobeConsumerHost, intern);
    MEMBER(StrobeConsumerHost, stack);
    MEMBER(StrobeConsumerHost, emit);
    MEMBER(StrobeConsumerHost, option_bool);
    MEMBER(StrobeConsumerHost, option_int);
    MEMBER(StrobeConsumerHost, option_double);
    MEMBER(StrobeConsumerHost, option_text);
    MEMBER(StrobeConsumerHost, log);
    MEMBER(StrobeConsumerHost, fail);
    MEMBER(StrobeConsumerHost, touches_gap);
    MEMBER(StrobeConsumerHost, flag);
    STRUCT(StrobeConsumerOps);
    MEMBER(StrobeConsumerOps, struct_size);
    MEMBER(StrobeConsumerOps, reserved);
    MEMBER(StrobeConsumerOps, probe);
    MEMBER(StrobeConsumerOps, open);
    MEMBER(StrobeConsumerOps, batch);
    MEMBER(StrobeConsumerOps, end);
    MEMBER(StrobeConsumerOps, close);
    MEMBER(StrobeConsumerOps, raw_end);
}

static void print_kinds(void)
{
    STRUCT(struct strobe_step);
    MEMBER(struct strobe_step, number);
    MEMBER(struct strobe_step, thread);
    STRUCT(struct strobe_cpu_op);
    MEMBER(struct strobe_cpu_op, sequence);
    MEMBER(struct strobe_cpu_op, forward_thread);
    MEMBER(struct strobe_cpu_op, shapes);
    MEMBER(struct strobe_cpu_op, types);
    MEMBER(struct strobe_cpu_op, stack);
    MEMBER(struct strobe_cpu_op, scope);
    MEMBER(struct strobe_cpu_op, is_async);
    STRUCT(struct strobe_gc);
    MEMBER(struct strobe_gc, generation);
    MEMBER(struct strobe_gc, reserved);
    MEMBER(struct strobe_gc, collected);
    MEMBER(struct strobe_gc, uncollectable);
    STRUCT(struct strobe_marker);
    MEMBER(struct strobe_marker, argument);
    STRUCT(struct strobe_counter);
    MEMBER(struct strobe_counter, value);
    STRUCT(struct strobe_host_cpu);
    MEMBER(struct strobe_host_cpu, usage);
    MEMBER(struct strobe_host_cpu, user);
    MEMBER(struct strobe_host_cpu, system);
    MEMBER(struct strobe_host_cpu, processors);
    MEMBER(struct strobe_host_cpu, threads);
    STRUCT(struct strobe_host_mem);
    MEMBER(struct strobe_host_mem, usage);
    MEMBER(struct strobe_host_mem, resident);
    MEMBER(struct strobe_host_mem, virtual_size);
    MEMBER(struct strobe_host_mem, shared);
    STRUCT(struct strobe_metadata);
    MEMBER(struct strobe_metadata, value);
    MEMBER(struct strobe_metadata, is_json);
    STRUCT(struct strobe_loss);
    MEMBER(struct strobe_loss, count);
    MEMBER(struct strobe_loss, cause);
    MEMBER(struct strobe_loss, lane);
    STRUCT(struct strobe_collector_call);
    MEMBER(struct strobe_collector_call, status);
    STRUCT(struct strobe_diagnostic);
    MEMBER(struct strobe_diagnostic, text);
    MEMBER(struct strobe_diagnostic, level);
    STRUCT(struct strobe_operator_detail);
    MEMBER(struct strobe_operator_detail, host_total);
    MEMBER(struct strobe_operator_detail, host_self);
    MEMBER(struct strobe_operator_detail, sequence);
    MEMBER(struct strobe_operator_detail, forward_thread);
    MEMBER(struct strobe_operator_detail, shapes);
    MEMBER(struct strobe_operator_detail, types);
    MEMBER(struct strobe_operator_detail, stack);
    MEMBER(struct strobe_operator_detail, children);
    MEMBER(struct strobe_operator_detail, scope);
    MEMBER(struct strobe_operator_detail, is_async);
    MEMBER(struct strobe_operator_detail, is_top);
    STRUCT(struct strobe_operator_link);
    MEMBER(struct strobe_operator_link, sequence);
    MEMBER(struct strobe_operator_link, to_begin);
    MEMBER(struct strobe_operator_link, to_track);
    STRUCT(struct strobe_operator_average);
    MEMBER(struct strobe_operator_average, calls);
    MEMBER(struct strobe_operator_average, host_self);
    MEMBER(struct strobe_operator_average, host_total);
    MEMBER(struct strobe_operator_average, host_min);
    MEMBER(struct strobe_operator_average, host_max);
    MEMBER(struct strobe_operator_average, host_average);
    MEMBER(struct strobe_operator_average, self_share);
    MEMBER(struct strobe_operator_average, shapes);
    STRUCT(struct strobe_step_summary);
    MEMBER(struct strobe_step_summary, number);
    MEMBER(struct strobe_step_summary, duration);
    MEMBER(struct strobe_step_summary, operators);
    MEMBER(struct strobe_step_summary, operator_self);
    MEMBER(struct strobe_step_summary, gc);
    MEMBER(struct strobe_step_summary, markers);
    STRUCT(struct strobe_stack_total);
    MEMBER(struct strobe_stack_total, host_self);
    MEMBER(struct strobe_stack_total, calls);
    MEMBER(struct strobe_stack_total, path);
}

static void print_values(void)
{
    VALUE(STROBE_OK);
    VALUE(STROBE_AGAIN);
    VALUE(STROBE_UNAVAILABLE);
    VALUE(STROBE_ERROR_FAILED);
    VALUE(STROBE_ERROR_ARGUMENT);
    VALUE(STROBE_ERROR_MEMORY);
    VALUE(STROBE_ERROR_IO);
    VALUE(STROBE_ERROR_ABI);
    VALUE(STROBE_ERROR_CLOSED);
    VALUE(STROBE_ERROR_CONFIG);
    VALUE(STROBE_ERROR_INPUT);
    VALUE(STROBE_ERROR_PLUGIN);
    VALUE(STROBE_ERROR_STATE);
    VALUE(STROBE_OPTION_BOOL);
    VALUE(STROBE_OPTION_INT);
    VALUE(STROBE_OPTION_DOUBLE);
    VALUE(STROBE_OPTION_STRING);
    VALUE(STROBE_OPTION_ENUM);
    VALUE(STROBE_OPTION_LIST);
    VALUE(STROBE_OPTION_DURATION);
    VALUE(STROBE_OPTION_BYTES);
    VALUE(STROBE_OPTION_PATH);
    VALUE(STROBE_OPTION_KINDS);
    VALUE(STROBE_OPTION_REQUIRED);
    VALUE(STROBE_SHAPE_SPAN);
    VALUE(STROBE_SHAPE_INSTANT);
    VALUE(STROBE_SHAPE_COUNTER);
    VALUE(STROBE_SHAPE_MEMORY);
    VALUE(STROBE_SHAPE_LINK);
    VALUE(STROBE_FIELD_U8);
    VALUE(STROBE_FIELD_U32);
    VALUE(STROBE_FIELD_I32);
    VALUE(STROBE_FIELD_U64);
    VALUE(STROBE_FIELD_I64);
    VALUE(STROBE_FIELD_F64);
    VALUE(STROBE_FIELD_BOOL);
    VALUE(STROBE_FIELD_STRING);
    VALUE(STROBE_FIELD_STACK);
    VALUE(STROBE_FIELD_TRACK);
    VALUE(STROBE_FIELD_LINK);
    VALUE(STROBE_TRACK_THREAD);
    VALUE(STROBE_TRACK_STREAM);
    VALUE(STROBE_TRACK_PLANE);
    VALUE(STROBE_TRACK_COUNTER);
    VALUE(STROBE_TRACK_STEPS);
    VALUE(STROBE_TRACK_PROCESS);
    VALUE(STROBE_CLOCK_HOST);
    VALUE(STROBE_CLOCK_MONOTONIC);
    VALUE(STROBE_CLOCK_REALTIME);
    VALUE(STROBE_LOSS_POOL_EMPTY);
    VALUE(STROBE_LOSS_DISK_FULL);
    VALUE(STROBE_LOSS_TOO_LARGE);
    VALUE(STROBE_LOSS_NESTED);
    VALUE(STROBE_LOSS_LATE);
    VALUE(STROBE_LOSS_COLLECTOR_FAILED);
    VALUE(STROBE_LOSS_NO_LANE);
    VALUE(STROBE_LOSS_SPAN_DEPTH);
    VALUE(STROBE_LOSS_STRING_CUT);
    VALUE(STROBE_LOSS_COLLECTOR_DROPPED);
    VALUE(STROBE_LOSS_OVERWRITTEN);
    VALUE(STROBE_LOSS_CAUSES);
    VALUE(STROBE_COMPONENT_COLLECTOR);
    VALUE(STROBE_COMPONENT_IMPORTER);
    VALUE(STROBE_COMPONENT_PASS);
    VALUE(STROBE_COMPONENT_EXPORTER);
    VALUE(STROBE_COMPONENT_ANY_PROCESS);
    VALUE(STROBE_COMPONENT_SIMULATED);
    VALUE(STROBE_LOG_ERROR);
    VALUE(STROBE_LOG_WARNING);
    VALUE(STROBE_LOG_INFO);
    VALUE(STROBE_LOG_DEBUG);
    VALUE(STROBE_PROBE_MACHINE);
    VALUE(STROBE_PROBE_PROCESS);
    VALUE(STROBE_VIEW_UNFINISHED);
    VALUE(STROBE_VIEW_STRADDLES);
    VALUE(STROBE_VIEW_INCOMPLETE);
    VALUE(STROBE_ABI_MAJOR);
    VALUE(STROBE_ABI_MINOR);
    VALUE(STROBE_RECORD_VERSION);
    VALUE(STROBE_KIND_FIELDS_MAX);
    VALUE(STROBE_RECORD_HAS_TRACK);
    VALUE(STROBE_RECORD_UNFINISHED);
    VALUE(STROBE_RECORD_WORDS_MASK);
    VALUE(STROBE_BULK_MAX);
    VALUE(STROBE_ABSENT_U64);
    VALUE(STROBE_ABSENT_I64);
    VALUE(STROBE_ABSENT_U32);
    VALUE(STROBE_ABSENT_I32);
    TEXT(STROBE_PLUGIN_SYMBOL);
}

int main(void)
{
    print_option();
    print_record();
    print_plugin();
    print_collector();
    print_exporter();
    print_kinds();
    print_values();
    return fflush(stdout) ? 1 : 0;
}
