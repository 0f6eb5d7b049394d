import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Connection, TypeStatus } from '../../../src/model/exchange/changes.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { command, SmallSource } from '../console.ts';
import { now } from '../documents/cluster.ts';
import { schemaOf } from '../documents/schema.ts';

const who = 'the exec plugin aws of user "prod"';
const lost: Connection = { state: 'lost', reason: `${who} does not answer.`, since: now - 12_000 };
const expired: Connection = { ...lost, reason: `${who} failed: log in.` };
const delayed: Connection = { state: 'catchingUp', cause: 'delayed', since: now - 10_000 };
const shop = '[{kind: Pod, name: web-0}]';

/** Runs a command that watches; each of these connections comes once what was said of the one before is out. */
async function watch(words: string, connections: readonly Connection[]) {
  const source = new SmallSource(shop);
  const coming = [...connections];
  const printed = { out: '', err: '' };
  let emitted = 0;
  const goOn = (interrupt: () => void): void => {
    const isPrinted = words.includes('-o')
      ? documentsOf(words, printed.out).length > emitted
      : printed.out !== '';
    if (linesOf(printed.err).length < emitted || !isPrinted) return;
    const connection = coming.shift();
    if (connection === undefined) return interrupt();
    emitted++;
    setImmediate(() => {
      // The same twice is no news.
      source.emit({ changes: [], connection });
      source.emit({ changes: [], connection });
    });
  };
  return command(words, {
    source,
    onOutput: (out, interrupt) => {
      printed.out = out;
      goOn(interrupt);
    },
    onError: (err, interrupt) => {
      printed.err = err;
      goOn(interrupt);
    },
  });
}

function linesOf(err: string): string[] {
  return err.split('\n').filter(line => /^(?:Some|Connection|The cluster)/u.test(line));
}

/** Those that are whole. */
function documentsOf(words: string, out: string) {
  const text = words.includes('json') ? out.replaceAll(/\}\n(?=\{)/gu, '}\n---\n') : out;
  return parseAllDocuments(text).filter(({ contents, errors }) => contents !== null && errors.length === 0);
}

const kinds = { tree: 'OwnershipTree', check: 'FindingList', podgc: 'PodGCCandidateList' };

/** What is wrong with it by its schema. */
function validate(words: string, document: unknown): unknown {
  const kind = kinds[words.split(' ')[0] as keyof typeof kinds];
  const isValid = new Ajv2020({ strict: false }).compile(schemaOf(kind));
  isValid(document);
  return isValid.errors;
}

describe('a command that watches says when nothing is seen any more, and when it is again', () => {
  test.each(['tree -w', 'check -A -w', 'podgc -A -w'])('%s', async words => {
    const { err, exitCode } = await watch(words, [delayed, lost, expired, { state: 'live' }]);
    expect(linesOf(err)).toEqual([
      'Some kinds are not followed just now. Catching up; this is as of 10s ago.',
      `Connection lost 12s ago. Reconnecting: ${who} does not answer. This is what was last seen.`,
      expect.stringContaining('failed: log in.'),
      'The cluster is followed again.',
    ]);
    expect(exitCode).toBe(130);
  });

  test.each(['tree -w -o json', 'tree -w -o yaml', 'check -A -w -o json', 'podgc -A -w -o json'])(
    '%s, in a document of its own for each',
    async words => {
      const { out } = await watch(words, [lost, { state: 'live' }]);
      const documents = documentsOf(words, out).map(document => document.toJS());
      for (const document of documents) expect(validate(words, document)).toEqual(null);
      expect(documents.map(({ basis }) => basis.connection)).toEqual([
        undefined,
        { state: 'lost', reason: `${who} does not answer.`, since: expect.stringMatching(/Z$/u) },
        undefined,
      ]);
    },
  );
});

test.each(['tree -w', 'check -A -w', 'podgc -A -w'])(
  '%s says once that a kind is no longer watched, however often its status is told',
  async words => {
    const secrets = builtInTypes.find(type => type.resource === 'secrets');
    if (secrets === undefined) throw new Error('no secrets');
    const polled: TypeStatus = { type: secrets, state: 'synced', count: 0, facts: true, polled: '403' };
    const source = new SmallSource(shop);
    let isTold = false;
    const { err } = await command(words, {
      source,
      onOutput: () => {
        if (!isTold) setImmediate(() => source.emit({ changes: [], statuses: [polled] }));
        isTold = true;
      },
      onError: (text, interrupt) => {
        if (text.includes('followed again')) interrupt();
        else if (text.includes('Connection lost'))
          setImmediate(() => source.emit({ changes: [], statuses: [polled], connection: { state: 'live' } }));
        else setImmediate(() => source.emit({ changes: [], statuses: [polled], connection: lost }));
      },
    });
    expect(err.split('\n')).toEqual([
      '1 kind cannot be watched and may be up to a minute old: secrets (403).',
      expect.stringContaining('Connection lost'),
      'The cluster is followed again.',
      '',
    ]);
  },
);
