/** A key reads what uses the object under the cursor, and what it uses: the watches hold no such fields. */
import { describe, expect, it } from 'vitest';
import { usesOf } from '../../../src/app/session/object-documents.ts';
import type { Key } from '../../../src/app/state/keys.ts';
import { currentNode } from '../../../src/app/views/current.ts';
import { detailsLines } from '../../../src/app/views/object-details.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { type JsonObject, SourceError } from '../../../src/source/source.ts';
import { SmallSource } from '../../cli/console.ts';
import { builtIn } from '../../simulation/fixtures.ts';
import { sessionOn } from '../source-session.ts';

const cluster = `
- {kind: ConfigMap, name: settings, uid: settings}
- {kind: Pod, name: web, uid: web}
`;

class WholeSource extends SmallSource {
  readonly requests: string[] = [];
  readonly volume: JsonObject;
  readonly uid: string;

  constructor(configMap: string, uid = 'web') {
    super(cluster);
    this.volume = { name: 'v', configMap: { name: configMap } };
    this.uid = uid;
  }

  override get({ kind }: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    const uid = kind === 'Pod' ? this.uid : name;
    const spec = kind === 'Pod' ? { spec: { volumes: [this.volume] } } : {};
    return Promise.resolve({ metadata: { namespace, name, uid }, ...spec });
  }

  list = async ({ kind, resource }: ResourceType): Promise<readonly JsonObject[]> => {
    this.requests.push(resource);
    const pod = kind === 'Pod' && (await this.get({ kind } as ResourceType, 'shop', 'web'));
    return pod ? [pod] : [];
  };
}

async function shown(source: WholeSource, kind: 'ConfigMap' | 'Pod'): Promise<string> {
  const { session, second } = sessionOn(source, 160, 60);
  const press = (text: string): void => session.dispatch({ type: 'key', key: { text } });
  for (let round = 0; round < 3; round += 1) await second(20);
  press('1');
  press('g');
  for (let row = 0; row < 5 && currentNode(session.getState())?.identity.kind !== kind; row += 1) press('j');
  expect(source.requests).toEqual([]);
  press('W');
  const isLoading = (): boolean => {
    const { dialog } = session.getState();
    return dialog?.kind === 'text' && dialog.loading === true;
  };
  while (isLoading()) await second(1);
  const { dialog, notice } = session.getState();
  await session.close();
  if (dialog?.kind !== 'text') return notice?.text ?? '';
  return [dialog.title, ...dialog.lines.map(line => line.map(({ text }) => text).join(''))].join('\n');
}

describe('the details', () => {
  it('list what uses the object as soon as they have the focus, and read it once', async () => {
    const source = new WholeSource('settings');
    const { session, second } = sessionOn(source, 160, 60);
    const press = (key: Key): void => session.dispatch({ type: 'key', key });
    const details = (): string =>
      detailsLines(session.getState(), 60)
        .map(line => line.map(({ text }) => text).join(''))
        .join('\n');
    const settle = async (): Promise<string> => {
      for (let round = 0; round < 3; round += 1) await second(20);
      while (details().includes('being read')) await second(1);
      return details();
    };
    await settle();
    press({ text: '1' });
    press({ text: 'g' });
    for (let row = 0; row < 5 && currentNode(session.getState())?.identity.kind !== 'ConfigMap'; row += 1)
      press({ text: 'j' });
    expect(await settle()).not.toContain('Used by');
    expect(source.requests).toEqual([]);
    press({ name: 'tab' });
    expect(await settle()).toContain('Used by\n  Pod web mounts it as a volume\n\n');
    const { length } = source.requests;
    await settle();
    expect(source.requests).toHaveLength(length);
    source.list = () => Promise.reject(new SourceError('no', { status: 403 }));
    await second(60);
    while (!details().includes('Pods cannot be read (403)')) await second(1);
    await session.close();
  });
});

describe('the details of an object with many objects that may use it', () => {
  it('say which key reads them', async () => {
    const source = new WholeSource('settings');
    const { session, second } = sessionOn(source);
    for (let round = 0; round < 3; round += 1) await second(20);
    const { view } = session.getState().cluster ?? {};
    const node = view?.graph.find(builtIn('ConfigMap'), 'shop', 'settings');
    if (view === undefined || node === undefined) throw new Error('nothing was listed');
    const textOf = async (most: number): Promise<string> =>
      (await usesOf(source, view, node, most)).map(line => line.map(({ text }) => text).join('')).join('\n');
    expect(await textOf(0)).toBe('Used by\n  W reads it, with 1 object');
    expect(source.requests).toEqual([]);
    expect(await textOf(1)).toContain('Pod web mounts it');
    await session.close();
  });
});

describe('what uses the object', () => {
  it('is listed by its controller, with how', async () => {
    expect(await shown(new WholeSource('settings'), 'ConfigMap')).toBe(
      'What uses ConfigMap shop/settings, and what it uses\nUsed by\n  Pod web mounts it as a volume',
    );
  });

  it('is said to be nothing that can be seen, never nothing', async () => {
    const text = await shown(new WholeSource('other'), 'ConfigMap');
    expect(text).toContain('Used by\n  nothing of a built-in kind that can be seen');
  });

  it('has the kinds that cannot be read', async () => {
    const source = new WholeSource('other');
    const { list } = source;
    source.list = type =>
      type.kind === 'Pod' ? Promise.reject(new SourceError('no', { status: 403 })) : list(type);
    const text = await shown(source, 'ConfigMap');
    expect(text).toContain('  Pods cannot be read (403): more of them may use it');
  });

  it('shows what the object uses', async () => {
    const text = await shown(new WholeSource('set\u001B[31mtings'), 'Pod');
    expect(text).toContain('Uses\n  mounts ConfigMap set%1B[31mtings');
    expect(text).not.toContain('\u001B');
  });

  it('is not asked before each kind is listed, since a kind that is still missing may have users', async () => {
    class SlowSource extends WholeSource {
      override readonly graphComplete = new Promise<void>(() => {});
    }
    const source = new SlowSource('settings');
    expect(await shown(source, 'ConfigMap')).toContain('still being read');
    expect(source.requests).toEqual([]);
  });

  it('is told from what cannot be read of the object itself', async () => {
    const source = new WholeSource('settings');
    source.get = () => Promise.reject(new SourceError('no', { status: 403 }));
    expect(await shown(source, 'Pod')).toContain('Uses\n  what it uses cannot be read (403)');
  });

  it('is not that of an object with the same name', async () => {
    const text = await shown(new WholeSource('settings', 'new-web'), 'Pod');
    expect(text).toContain('another one has its name now');
    expect(text).not.toContain('ConfigMap');
  });
});
