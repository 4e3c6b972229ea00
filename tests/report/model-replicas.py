# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""model-replicas.py MODEL TASKS COMMITS: the model of examples/replicas.c has the tasks of the Scalpel paper.

MODEL is the output of `model --format=jsonl --instances`, TASKS is the output of `tasks --format=jsonl`. With a fourth
argument, the output of `waits --format=jsonl`, the waits for time lead from the commit to SendPacket(), through the local
commit, and the sleeps of the local commit are those of the verb `waits`."""
import collections
import json
import sys

PAPER = {'Commit', 'RecvPacket', 'put', 'Mutate', 'RpcAsyncCallChain', 'SendPacket', 'ReceiveMutationAck', 'ReceiveMutation',
         'RpcCallReply', 'take_replies'}
WORKER = {'RecvPacket', 'put'}
LOCAL = {'Mutate', 'RpcAsyncCallChain', 'SendPacket', 'ReceiveMutationAck'}
REMOTE = {'ReceiveMutationAck', 'RpcCallReply', 'SendPacket'}
nr_failed = 0


def fail(*text):
    global nr_failed
    nr_failed += 1
    print('FAILED:', *text)


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def of_type(all_lines, name):
    return [line for line in all_lines if line['type'] == name]


def functions_of(instance, labels):
    """The paper's functions at the begin of the leaf tasks of an instance."""
    return {f for leaf in instance['leaf_tasks'] for f in labels[leaf].split(' -> ')[0].split(';')} & PAPER


def main():
    model, tasks = map(lines, sys.argv[1:3])
    wanted = int(sys.argv[3])
    labels = {task['begin']: task['label'] for task in of_type(tasks, 'task')}
    whole = of_type(model, 'model')[0]
    task_of = {task['task']: task for task in of_type(model, 'task')}
    instances = of_type(model, 'instance')
    parents = {(i['task'], i['id']): (i['parent_task'], i['parent']) for i in instances}
    if whole['unseen'] > 2:
        fail(whole['unseen'], 'arrivals of unknown sender')
    if whole['in_tasks'] < 0.85 * whole['leaf_tasks']:
        fail('only', whole['in_tasks'], 'of', whole['leaf_tasks'], 'leaf tasks are in tasks')

    # the commit: one task on top for almost all requests of the client
    top = [i for i in instances if i['parent'] is None and {'Commit'} | LOCAL | REMOTE <= functions_of(i, labels)]
    commits = collections.Counter(i['task'] for i in top)
    if not commits:
        fail('no task contains a whole commit')
        return
    name, count = commits.most_common(1)[0]
    print('commit:', name, count, 'shapes', task_of[name]['shapes'])
    if count < 0.9 * wanted:
        fail('the commit has', count, 'of', wanted, 'instances')

    # its parts
    found = {'worker': collections.Counter(), 'local commit': collections.Counter(), 'remote ack': collections.Counter()}
    for i in instances:
        part, above = (i['task'], i['id']), (i['task'], i['id'])
        while parents[above][1] is not None:
            above = parents[above]
        if above[0] != name or part == above:
            continue
        functions = functions_of(i, labels)
        is_one_thread = len({leaf.rsplit('.', 1)[0] for leaf in i['leaf_tasks']}) == 1
        if functions == WORKER and is_one_thread:
            found['worker'][part[0]] += 1
        # an acknowledgement that comes last replies
        if functions - {'put', 'RpcCallReply'} == LOCAL and is_one_thread:
            found['local commit'][part[0]] += 1
        if functions - {'RecvPacket', 'put', 'take_replies'} == REMOTE:
            found['remote ack'][part[0]] += 1
    for part, tasks_of in found.items():
        task, count = tasks_of.most_common(1)[0] if tasks_of else (None, 0)
        print(f'{part}:', task, count)
        if count < 0.9 * wanted:
            fail(f'the {part} has', count, 'of', wanted, 'instances')
            return
    worker, local, remote = (found[part].most_common(1)[0][0] for part in ('worker', 'local commit', 'remote ack'))
    handoffs = sum(arc['count'] for arc in of_type(model, 'arc') if arc['task'] == name and arc['kind'] == 'handoff' and
                   arc['start'] and arc['from'] == worker and arc['to'] == local)
    if handoffs < 0.9 * wanted:
        fail('the worker starts the local commit', handoffs, 'times through the queue')

    if len(sys.argv) == 5:
        follow(model, task_of, name, local)
        agree(model, task_of[local], lines(sys.argv[4]))


def follow(model, task_of, name, local):
    """Follows the longest waits for time from task to task, down to the leaf that slept."""
    way, parts = [name], of_type(model, 'part')
    while True:
        below = [p['part'] for p in parts if p['task'] == way[-1] and p['is'] == 'task' and p['part'] not in way]
        sleeps = [p['part'] for p in parts if p['task'] == way[-1] and p['is'] == 'leaf' and p['part'].endswith(';usleep')]
        if sleeps or not below:
            break
        way.append(max(below, key=lambda task: task_of[task]['waits'].get('timer', 0)))
    print('timer:', *(f"{task}: {task_of[task]['waits'].get('timer', 0) / 1e6:.0f} ms," for task in way), *sleeps)
    costs = collections.Counter()
    for line in of_type(model, 'cost'):
        if line['task'] == name:
            costs[line['path'], line['spent'].replace('other_', '')] += line['dur']
    path, kind = costs.most_common(1)[0][0]
    print(f'most of the latency of {name}: {100 * costs[path, kind] / sum(costs.values()):.0f} % in {kind} {path}')
    if kind != 'call' or not path.endswith('RpcAsyncCallChain;SendPacket;usleep'):
        fail('most of the latency of the commit is not the sleep of SendPacket')
    if local not in way:
        fail('the waits for time do not lead through the local commit')
    if not any('RpcAsyncCallChain;SendPacket;usleep' in leaf for leaf in sleeps):
        fail('the waits for time do not lead to SendPacket')


def agree(model, local, waits):
    """Compares the sleeps of the local commit with the verb waits, harmful and idle ones."""
    of_waits = sum(line['wait_ns'] for line in of_type(waits, 'path') if line['path'].endswith(';SendPacket;usleep'))
    of_model = local['waits'].get('timer', 0)
    print(f'sleeps in SendPacket: {of_waits / 1e6:.3f} ms in waits, {of_model / 1e6:.3f} ms in the local commit')
    outside = [line for line in of_type(model, 'rest') if line['part'].endswith(';SendPacket;usleep')]
    if not outside and abs(of_waits - of_model) > 1000:
        fail('the verb waits does not agree')


main()
sys.exit(nr_failed > 0)
