import { describe, expect, it } from 'vitest';
import { Intent } from '../../../src/actions/prepare/action-intent.ts';
import { type Asking, examine } from '../../../src/actions/prepare/examine.ts';
import { identityOfObject } from '../../../src/graph/ownership-node.ts';
import { ActRequest, type DryRunRequest } from '../../../src/model/exchange/act.ts';
import { record } from '../../../src/model/json/json.ts';
import { TypeCatalog } from '../../../src/model/types/type-catalog.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { failureWords } from '../../../src/text/actions/failure.ts';
import { objectOf, viewOf } from '../../forecast/fixtures.ts';
import { reviewed } from '../acting-world.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const view = viewOf(names.map(name => `- {kind: ConfigMap, name: ${name}}\n`).join(''));

function deletion(...uids: readonly string[]) {
  return Intent.requests({
    verb: 'delete',
    targets: uids.map(uid => objectOf(view, uid)),
    cascade: 'background',
  });
}

/** Allows the names in `allowed`; `''` stands for all of the kind. */
function asking(
  allowed: readonly string[],
): Asking & { readonly asked: string[]; readonly dry: DryRunRequest[] } {
  const asked: string[] = [];
  const dry: DryRunRequest[] = [];
  return {
    asked,
    dry,
    catalog: new TypeCatalog(builtInTypes),
    ask: ({ body }) => {
      const { name } = record(record(record(body)['spec'])['resourceAttributes']);
      asked.push(String(name));
      return Promise.resolve(reviewed(allowed.includes(String(name))));
    },
    dryRun: request => {
      dry.push(request);
      return Promise.resolve({ status: 200, body: {} });
    },
  };
}

/** Nothing is to go into a backup. */
function alone(requests: readonly ActRequest[]): Parameters<typeof examine>[0] {
  return { requests, concerned: [] };
}

describe('asking whether an action may happen', () => {
  it('asks about many objects of a kind at once, where that is allowed', async () => {
    const questions = asking(['']);
    expect(await examine(alone(deletion(...names)), questions)).toMatchObject({ denied: [], refused: [] });
    expect(questions.asked).toEqual(['']);
  });

  it('asks about each where not all of the kind are allowed', async () => {
    const questions = asking(['a', 'c']);
    const { denied } = await examine(alone(deletion(...names)), questions);
    expect(denied.map(({ name }) => name)).toEqual(['b', 'd', 'e']);
  });

  it('rehearses nothing that is not permitted', async () => {
    const questions = asking([]);
    expect((await examine(alone(deletion('a')), questions)).denied).toHaveLength(1);
    expect(questions.dry).toEqual([]);
  });

  it('rehearses each request in a way that changes nothing', async () => {
    const questions = asking(['']);
    await examine(alone(deletion(...names)), questions);
    expect(questions.dry).toHaveLength(names.length);
    expect(questions.dry.every(ActRequest.changesNothing)).toBe(true);
    // With its preconditions, so that it meets the very object.
    expect(questions.dry[0]?.body).toMatchObject({ preconditions: { uid: 'a' } });
  });

  it('rehearses what is created too, but not what is within it, for it has to be there first', async () => {
    const questions = asking(['']);
    const post = (path: string, kind: string, name: string): ActRequest => ({
      method: 'POST',
      path,
      contentType: 'application/json',
      body: { apiVersion: 'v1', kind, metadata: { name } },
      formerUid: name,
    });
    const spaces = '/api/v1/namespaces';
    const requests = [
      post(spaces, 'Namespace', 'new'),
      post(`${spaces}/new/configmaps`, 'ConfigMap', 'a'),
      post(`${spaces}/old/configmaps`, 'ConfigMap', 'a'),
      post(`${spaces}/old/configmaps`, 'ConfigMap', 'b'),
    ];
    const { dryRuns, untried } = await examine(alone(requests), questions);
    expect(untried).toEqual([{ before: 'Namespace new is there', requests: [requests[1]] }]);
    expect(dryRuns.map(({ request }) => requests.indexOf(request))).toEqual([0, 2, 3]);
    expect(questions.dry.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${spaces}?dryRun=All`,
      `POST ${spaces}/old/configmaps?dryRun=All`,
      `POST ${spaces}/old/configmaps?dryRun=All`,
    ]);
    expect(questions.dry.every(ActRequest.changesNothing)).toBe(true);
    // Who it was isn't the server's business.
    expect(questions.dry[0]).not.toHaveProperty('formerUid');
  });

  it('does not rehearse what is of a kind that is only defined then, and says what waits for it', async () => {
    const questions = asking(['']);
    const request: ActRequest = {
      method: 'POST',
      path: '/apis/example.com/v1/namespaces/old/widgets',
      contentType: 'application/json',
      body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
      definition: 'widgets.example.com',
    };
    const { dryRuns, untried, refused } = await examine(alone([request]), questions);
    expect([dryRuns, refused, questions.dry]).toEqual([[], [], []]);
    expect(untried).toEqual([
      { before: 'CustomResourceDefinition widgets.example.com is there', requests: [request] },
    ]);
    const said = failureWords
      .doubt({ doubtful: [], untried, unreadable: [] }, 0)
      .map(({ spans }) => spans.map(({ text }) => text).join(''));
    expect(said).toEqual([
      '! 1 request cannot be tried before CustomResourceDefinition widgets.example.com is there.',
    ]);
  });

  it("gives the server's words where a rehearsal is refused", async () => {
    const questions = {
      ...asking(['a', 'b']),
      dryRun: ({ path }: DryRunRequest) =>
        Promise.resolve(
          path.includes('/b?')
            ? { status: 400, body: { message: 'denied by policy' } }
            : { status: 200, body: {} },
        ),
    };
    const { refused } = await examine(alone(deletion('a', 'b')), questions);
    expect(refused).toMatchObject([{ status: 400, message: 'denied by policy' }]);
  });

  it('tells a permission that only a plugin asks for apart from those that are needed', async () => {
    const target = objectOf(view, 'a');
    const path = '/metadata/ownerReferences';
    const request = {
      method: 'PATCH' as const,
      path: '/api/v1/namespaces/shop/configmaps/a',
      contentType: 'application/json-patch+json',
      body: [{ op: 'remove', path }],
    };
    expect(target.name).toBe('a');
    const questions = asking([]);
    const { denied, doubtful } = await examine(alone([request]), {
      ...questions,
      ask: ({ body }) => {
        const { verb } = record(record(record(body)['spec'])['resourceAttributes']);
        return Promise.resolve(reviewed(verb === 'patch'));
      },
    });
    expect(denied).toEqual([]);
    expect(doubtful).toMatchObject([{ verb: 'delete', onlyWith: 'OwnerReferencesPermissionEnforcement' }]);
  });
});

describe('what goes into the backup', () => {
  const concerned = names.map(name => identityOfObject(objectOf(view, name)));

  /** Allows everything but reading, which it does for the names in `readable`; `''` stands for all of the kind. */
  function reading(readable: readonly string[]): Asking & { readonly asked: string[] } {
    const asked: string[] = [];
    return {
      asked,
      catalog: new TypeCatalog(builtInTypes),
      ask: ({ body }) => {
        const { verb, name } = record(record(record(body)['spec'])['resourceAttributes']);
        if (verb !== 'get') return Promise.resolve(reviewed(true));
        asked.push(String(name));
        return Promise.resolve(reviewed(readable.includes(String(name))));
      },
    };
  }

  const unreadableOf = async (readable: readonly string[], objects = concerned): Promise<unknown> => {
    const { unreadable } = await examine({ requests: [], concerned: objects }, reading(readable));
    return unreadable.map(each => each.objects.map(({ name }) => name));
  };

  it('is asked about with one question for each kind and namespace, where it may be read', async () => {
    const questions = reading(['']);
    const { unreadable } = await examine({ requests: [], concerned }, questions);
    expect(unreadable).toEqual([]);
    expect(questions.asked).toEqual(['']);
  });

  it('is named where it may not be read; of a few those that may be by their names are told apart', async () => {
    expect(await unreadableOf([])).toEqual([names]);
    expect(await unreadableOf(['b'], concerned.slice(0, 3))).toEqual([['a', 'c']]);
    expect(await unreadableOf(['a', 'b', 'c'], concerned.slice(0, 3))).toEqual([]);
  });
});
