/** What Events and the journal tell of an object that is gone. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type BackupObject, Journal } from '../../../../src/actions/journal/action-journal.ts';
import type { JournalLine } from '../../../../src/actions/journal/journal-entry.ts';
import type { ActRequest } from '../../../../src/model/exchange/act.ts';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import type { Uid } from '../../../../src/model/object.ts';
import type { Said } from '../../../../src/model/said.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { type GoneSubject, SourceError, type ToldEvent } from '../../../../src/source/source.ts';
import { temporaryFolder } from '../../../actions/acting-world.ts';
import { command, SmallSource } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

const said = (reason: string, message: string, at: string): Said => ({
  from: 'event',
  type: 'Normal',
  status: '',
  reason,
  message,
  at: Date.parse(at),
  count: 1,
  failing: false,
});

const events: readonly ToldEvent[] = [
  {
    about: { namespace: 'shop', kind: 'StatefulSet', name: 'web' },
    said: said('SuccessfulDelete', 'delete Pod web-1 in StatefulSet web successful', '2026-11-21T11:50:00Z'),
  },
  {
    about: { namespace: 'shop', kind: 'Pod', name: 'web-1' },
    said: said('Killing', 'Stopping container \u001b[31mmain', '2026-11-21T11:50:01Z'),
  },
];

class EventSource extends SmallSource {
  readonly asked: GoneSubject[] = [];
  readonly #answer: () => Promise<readonly ToldEvent[]>;

  constructor(answer: () => Promise<readonly ToldEvent[]>, objects = '') {
    super(`- {kind: Pod, name: web-0}\n- {kind: Namespace, name: shop}\n${objects}`);
    this.#answer = answer;
  }

  eventsOfGone(object: GoneSubject): Promise<readonly ToldEvent[]> {
    this.asked.push(object);
    return this.#answer();
  }
}

describe('why of an object that is gone', () => {
  test('tells what Events still say, and what would tell more', async () => {
    const source = new EventSource(() => Promise.resolve(events));
    const { out, err, exitCode } = await command('why pod/web-1', { source });
    expect([err, exitCode]).toEqual(['', 0]);
    expect(source.asked).toEqual([{ namespace: 'shop', kind: 'Pod', name: 'web-1' }]);
    expect(out).toMatch(/^Pod shop\/web-1 isn't there\. Events that still exist:\n/u);
    expect(out).toMatch(
      /2026-11-21T11:50:00Z {2}SuccessfulDelete of StatefulSet web: delete Pod web-1 in StatefulSet web successful\n.*Killing of Pod web-1/u,
    );
    expect(out).not.toContain('\u001b');
    expect(out).toContain('--audit-log FILE');
  });

  test.each([
    ['where no Event does', () => Promise.resolve([])],
    ['where they may not be read', () => Promise.reject(new SourceError('no', { status: 403 }))],
  ])('says that it is not there %s', async (_, answer) => {
    const source = new EventSource(answer);
    const { out, err, exitCode } = await command('why pod/web-1', { source });
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err).toContain('pod "web-1" not found in namespace shop');
  });

  test('asks nothing about what is there, and of several', async () => {
    const source = new EventSource(() => Promise.resolve(events));
    await command('why pod/web-0', { source });
    await command('why pod/web-1 pod/web-2', { source });
    expect(source.asked).toEqual([]);
  });
});

describe('why of a StatefulSet whose pods survived it', () => {
  const survivors = 'why sts/orders -n shop --demo statefulset-survivors';

  test('names them, and tells about the first', async () => {
    const { out, err, exitCode } = await command(survivors);
    expect([err, exitCode]).toEqual(['', 0]);
    expect(out).toMatch(
      /^StatefulSet orders isn't there, and Pod orders-0, Pod orders-1 and Pod orders-2 survived it\. The first of them:\n\nPod shop\/orders-0 survived its StatefulSet/u,
    );
    expect(out).toContain('--remedy adopt/statefulset/orders');
    expect(out.replaceAll(/\s+/gu, ' ')).toContain('Pod orders-2 get an owner');
    expect(out).not.toContain('Pod shop/orders-1 survived');
  });

  test('tells about all of them as a document', async () => {
    const { out } = await command(`${survivors} -o json`);
    const { items } = JSON.parse(out) as { items: { object: { name: string } }[] };
    expect(items.map(({ object }) => object.name)).toEqual(['orders-0', 'orders-1', 'orders-2']);
  });

  test('has none if it was deleted with its pods, or is there', async () => {
    const none = await command('why sts/carts -n shop --demo statefulset-survivors');
    expect(none.err).toContain('statefulset "carts" not found in namespace shop');
    const { out } = await command('why sts/inventory -n shop --demo statefulset-survivors');
    expect(out).toMatch(/^StatefulSet shop\/inventory /u);
  });

  test("doesn't say that it is gone if StatefulSets can't be listed", async () => {
    const pod = '- {kind: Pod, name: db-0, labels: {statefulset.kubernetes.io/pod-name: db-0}}';
    const type = builtInTypes.find(each => each.kind === 'StatefulSet' && each.preferred);
    if (type === undefined) throw new Error('no such type');
    const source = new SmallSource(pod, {
      statuses: [{ type, state: 'blind', count: 0, facts: false, reason: 'forbidden' }],
    });
    const { out } = await command('why sts/db', { source });
    expect(out).toMatch(
      /^StatefulSet db can't be seen here\. It seems to have made Pod db-0, which nothing controls\.\n/u,
    );
  });
});

describe('why of an object that was deleted with this tool', () => {
  const identity = (kind: string, name: string) =>
    ({
      apiVersion: kind === 'StatefulSet' ? 'apps/v1' : 'v1',
      kind,
      namespace: 'shop',
      name,
      uid: name as Uid,
    }) as const;
  const pod: ActRequest = {
    method: 'DELETE',
    path: '/api/v1/namespaces/shop/pods/web-1',
    contentType: 'application/json',
    body: {},
  };
  const patchOf = (path: string, value: unknown): ActRequest => ({
    ...pod,
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: 'web-1' },
      { op: 'test', path, value },
      { op: 'remove', path },
    ],
  });
  const answered = (status: number): JournalLine => ({ step: 'answered', at: 2, request: 0, status });

  interface Written {
    readonly request?: ActRequest;
    /** In place of `request`. */
    readonly requests?: readonly ActRequest[];
    readonly line?: JournalLine;
    readonly verb?: 'delete' | 'unblock';
    readonly title?: string;
    readonly object?: ReturnType<typeof identity>;
    readonly context?: string;
    readonly cluster?: string;
    readonly backup?: readonly BackupObject[];
  }

  async function whyAfter(
    { request = pod, line = answered(200), backup = [], ...more }: Written,
    tell: readonly ToldEvent[] = [],
    format = '',
    objects = '',
  ): ReturnType<typeof command> {
    const state = await temporaryFolder();
    const journal = new Journal(`${state}/kubectl-gc-tree`);
    const writer = await journal.begin(
      {
        at: Date.parse('2026-11-21T11:40:00Z'),
        verb: 'delete',
        title: 'delete Pod shop/web-1, background',
        object: identity('Pod', 'web-1'),
        cluster: '',
        context: 'test',
        requests: [request],
        ...more,
      },
      backup,
    );
    await writer.write({ step: 'sending', at: 1, request: 0 });
    await writer.write(line);
    await writer.close();
    const source = new EventSource(() => Promise.resolve(tell), objects);
    return command(`why pod/web-1${format}`, { source, env: { XDG_STATE_HOME: state } });
  }

  test('says which action deleted it, and when', async () => {
    const { out, err, exitCode } = await whyAfter({});
    expect([err, exitCode]).toEqual(['', 0]);
    expect(out).toMatch(
      /^Pod shop\/web-1 isn't there\. What was done with this tool, from its journal:\n\n {2}2026-11-21T11:40:00Z {2}delete Pod shop\/web-1, background: the API server accepted its deletion \(entry \S+\)\n/u,
    );
    expect(out).toContain('another object has had this name since');
    expect(out).toContain('known from the name of the context alone');
    expect(out).not.toContain('Events');
  });

  test('tells Events as well', async () => {
    const { out } = await whyAfter({}, events);
    expect(out).toMatch(/accepted its deletion[^]*\nEvents that still exist:\n/u);
    expect(out.match(/isn't there/gu)).toHaveLength(1);
  });

  test.each([
    [patchOf('/metadata/finalizers/0', 'example.com/keep'), 'its finalizer example.com/keep was removed'],
    [
      patchOf('/metadata/ownerReferences/0', { kind: 'StatefulSet', name: 'web' }),
      'its reference to StatefulSet web was removed',
    ],
    [patchOf('/spec/x', 1), 'it was changed'],
  ])('says what was taken off it: %#', async (request, words) => {
    expect((await whyAfter({ request, verb: 'unblock' })).out).toContain(`: ${words} (entry`);
  });

  test('says that a forecast had it deleted with another object, and if not everything was sent', async () => {
    const request = { ...pod, path: '/apis/apps/v1/namespaces/shop/statefulsets/web' };
    const written: Written = {
      request,
      title: 'delete StatefulSet shop/web, background',
      object: identity('StatefulSet', 'web'),
      backup: [{ object: identity('Pod', 'web-1'), json: {} }],
    };
    const words = 'delete StatefulSet shop/web, background: the forecast was that it is deleted as well';
    expect((await whyAfter(written)).out).toContain(`${words} (entry`);
    const { out } = await whyAfter({ ...written, requests: [request, request] });
    expect(out).toContain(`${words}; it is unknown whether that took effect (entry`);
  });

  test.each<[string, JournalLine]>([
    ['no answer came', { step: 'unanswered', at: 2, request: 0, message: 'lost' }],
    ['the answer leaves it open', answered(504)],
  ])('does not say that a request deleted it where %s', async (_, line) => {
    const { out } = await whyAfter({ line });
    expect(out).toContain('its deletion was requested; it is unknown whether that took effect (entry');
    expect(out).not.toContain('accepted');
  });

  test.each<[string, Written]>([
    ['was refused', { line: answered(403) }],
    ['was not sent', { line: { step: 'unsent', at: 2, request: 0, message: 'no' } }],
    ['was about another cluster', { context: 'other' }],
    ['was about another namespace', { request: { ...pod, path: pod.path.replace('shop', 'x') } }],
    ['was about another kind', { request: { ...pod, path: pod.path.replace('pods', 'services') } }],
  ])('says that it is not there where what was done %s', async (_, written) => {
    for (const format of ['', ' -o json']) {
      const { out, err, exitCode } = await whyAfter(written, [], format);
      expect([out, exitCode]).toEqual(['', 2]);
      expect(err).toContain('pod "web-1" not found in namespace shop');
    }
  });

  const validated = (kind: string, out: string): JsonRecord => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schemaOf(kind));
    const document = JSON.parse(out) as JsonRecord;
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    return document;
  };
  const traces = {
    journal: {
      clusterKnownBy: 'context',
      entries: [
        {
          at: '2026-11-21T11:40:00Z',
          action: 'delete Pod shop/web-1, background',
          what: 'the API server accepted its deletion',
          effect: 'yes',
        },
      ],
    },
    events: [
      { object: { kind: 'StatefulSet', namespace: 'shop', name: 'web' }, reason: 'SuccessfulDelete' },
      { object: { kind: 'Pod', name: 'web-1' }, at: '2026-11-21T11:50:01Z', reason: 'Killing' },
    ],
  };

  test('says the same in a document', async () => {
    const { out, exitCode } = await whyAfter({}, events, ' -o json');
    expect(exitCode).toBe(0);
    expect(validated('DeletionHistory', out)).toMatchObject({
      kind: 'DeletionHistory',
      ...traces,
      items: [{ object: { resource: 'pods', namespace: 'shop', name: 'web-1' } }],
    });
  });

  test('says the same beside what is known from references', async () => {
    const owned = '- {kind: ConfigMap, name: left, owners: [v1 Pod web-1]}';
    const { out } = await whyAfter({}, events, ' -o json', owned);
    expect(validated('Diagnosis', out)).toMatchObject({
      kind: 'Diagnosis',
      ...traces,
      items: [{ object: { kind: 'Pod', name: 'web-1' } }],
    });
  });
});
