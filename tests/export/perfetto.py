# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""perfetto.py TRACE, with what `protoc --decode` made of an export on standard input.

Holds it to what the verbs events, edges and tasks say (TRACE.events, ...): every event at its two
instants, every task that took time, every edge as a flow between its two events; slices of a track
nested; every number defined before it is used.
"""
import json
import sys

from drawn import Failures, compare, load, title, wall_offset
from prototext import parse

def main():
    trace = sys.argv[1]
    check = Failures()
    events = {e['id']: e for e in load(trace + '.events')}
    calls, drawn, open_slices, tables, tracks = {}, {}, {}, {}, {}
    flows_from, flows_to, clocks = {}, {}, {}
    counters, last, nr_notes, nr_unended = {}, 0, 0, 0

    def string(number):
        check(number in tables['debug_annotation_string_values'], 'string', number)
        return tables['debug_annotation_string_values'].get(number, {}).get('str', [b''])[0]

    for _, packet in parse(sys.stdin):
        for snapshot in packet.get('clock_snapshot', []):
            check(not calls and not tracks, 'the clocks come first')
            check(snapshot['primary_trace_clock'] == ['BUILTIN_CLOCK_MONOTONIC'], snapshot)
            clocks.update({clock['clock_id'][0]: clock['timestamp'][0] for clock in snapshot['clocks']})
        for table, entries in packet.get('interned_data', [{}])[0].items():
            for entry in entries:
                known = tables.setdefault(table, {})
                check(entry['iid'][0] not in known, 'defined twice:', table, entry)
                known[entry['iid'][0]] = entry
                for inner, of in (('frame_ids', 'frames'), ('function_name_id', 'function_names'),
                                  ('mapping_id', 'mappings'), ('path_string_ids', 'mapping_paths')):
                    for number in entry.get(inner, []):
                        check(number in tables.get(of, {}), of, number, 'is not defined')
        for track in packet.get('track_descriptor', []):
            check(track['uuid'][0] not in tracks, 'two tracks', track)
            check('parent_uuid' not in track or track['parent_uuid'][0] in tracks, 'parent of', track)
            tracks[track['uuid'][0]] = track
            for name in track.get('name', []):
                name.decode('utf-8')
        if 'track_event' not in packet:
            continue
        event = packet['track_event'][0]
        at, kind, track = packet['timestamp'][0], event['type'][0], event['track_uuid'][0]
        check(track in tracks, 'track', track)
        notes = {}
        for note in event.get('debug_annotations', []):
            name = tables['debug_annotation_names'][note.pop('name_iid')[0]]['name'][0]
            (key, values), = note.items()
            notes[name.decode()] = string(values[0]) if key == 'string_value_iid' else values[0]
        if 'coverage' in notes:
            coverage = json.loads(notes['coverage'].decode('utf-8'))
            check(coverage['type'] == 'coverage', 'coverage', coverage)
            nr_notes += 1
            continue
        if kind == 'TYPE_COUNTER':
            counters[track] = event['counter_value'][0]
            check(counters[track] >= 0, 'fewer than no threads wait')
            continue
        category = [tables['event_categories'][n]['name'][0] for n in event.get('category_iids', [])]
        if kind == 'TYPE_SLICE_END':
            check(open_slices.get(track), 'an end without a begin at', at)
            begun, ident, is_task = open_slices[track].pop()
            end = begun + notes['dur_ns'] if 'dur_ns' in notes else at
            if is_task:
                drawn[ident] = (begun, end)
            else:
                calls[ident] = (begun, end)
            last = max(last, at)
            continue
        check(at >= last or 'id' not in notes, 'not in the order of time:', at, last)
        last = max(at, last)
        name = event['name'][0] if 'name' in event else tables['event_names'][event['name_iid'][0]]['name'][0]
        name = name.decode('utf-8')
        for key, table in (('callstack_iid', 'callstacks'), ('source_location_iid', 'source_locations')):
            check(key not in event or event[key][0] in tables.get(table, {}), table, event.get(key))
        if 'id' not in notes:
            nr_unended += 1
            open_slices.setdefault(track, []).append((at, None, False))
            continue
        ident = notes['id'].decode()
        for number in event.get('flow_ids', []):
            check(number not in flows_from, 'flow', number, 'begins twice')
            check(number not in flows_to, 'flow', number, 'ends before it begins')
            flows_from[number] = ident
        for number in event.get('terminating_flow_ids', []):
            check(number in flows_from, 'flow', number, 'ends before it begins')
            flows_to[number] = ident
        if kind == 'TYPE_SLICE_BEGIN':
            open_slices.setdefault(track, []).append((at, ident, b'task' in category))
            if b'task' in category:
                check(' -> ' in name, 'task', name)
                continue
        elif ident in events and ident not in calls and b'task' not in category:
            calls[ident] = (at, at)
        if ident in events and b'task' not in category:
            check(name == events[ident]['call'], ident, name)
            check(notes['result'] == events[ident]['result'], ident, notes)
            check(notes.get('object', b'').decode() == title(events[ident], ''), ident, notes)
            check(events[ident].get('bytes', 0) == notes.get('bytes', 0), ident, notes)

    unended = sum(len([s for s in stack if s[1] is not None]) for stack in open_slices.values())
    check(not unended, unended, 'slices have no end')
    check(clocks and clocks[1] - clocks[3] == wall_offset(trace), 'clocks', clocks)
    check(nr_notes == 1, 'coverage is told', nr_notes, 'times')
    compare(check, trace, calls, drawn, flows_from, flows_to)
    check(nr_unended == sum(counters.values()), 'calls without end', nr_unended, counters)
    print(f'{trace}: {len(calls)} events, {len(drawn)} tasks, {len(flows_from)} flows, '
          f'{nr_unended} calls without an end')
    sys.exit(check.nr > 0)


main()
