/** Journals of other versions: `formats` has one that each earlier one wrote on a real cluster, byte by byte. */
import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import { JOURNAL_FORMAT, LaterFormatError } from '../../../src/actions/journal/journal-entry.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { viewOf } from '../../forecast/fixtures.ts';
import { temporaryFolder } from '../acting-world.ts';

const formats = path.join(import.meta.dirname, 'formats');

/** A copy, as private as the one that was written; modes are not kept where this repository is. */
async function journalOf(version: string): Promise<Journal> {
  const folder = await temporaryFolder();
  const entries = path.join(folder, 'journal');
  await cp(path.join(formats, version), entries, { recursive: true });
  for (const { name, parentPath, isDirectory } of await entriesIn(entries))
    await chmod(path.join(parentPath, name), isDirectory ? 0o700 : 0o600);
  await chmod(entries, 0o700);
  return new Journal(folder);
}

async function entriesIn(folder: string) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.map(each => ({
    name: each.name,
    parentPath: each.parentPath,
    isDirectory: each.isDirectory(),
  }));
}

/** A cluster in which nothing of it is left. */
const elsewhere = viewOf('- {kind: ConfigMap, name: unrelated}');

describe('the journal of a version before 0.1.0', () => {
  it('is listed whole, with what became of each request', async () => {
    const entries = await (await journalOf('before-0.1.0')).list();
    expect(
      entries.map(({ intended, requests, ended }) => [intended.title, requests, ended?.outcome]),
    ).toEqual(
      [
        'remove shop.example/till from till: what it protects is left behind (ConfigMap shop/till)',
        'delete Secret shop/vault, background',
        'delete Deployment shop/web, background',
      ].map(title => [title, [{ state: 'answered', status: 200 }], 'reached']),
    );
  });

  it('is taken back as far as it goes', async () => {
    const journal = await journalOf('before-0.1.0');
    const undone = [];
    for (const entry of await journal.list()) {
      const kept = await journal.backupOf(entry);
      const undo = Undo.plan(entry, kept, elsewhere);
      expect(Undo.intent(entry, undo, kept, elsewhere) === undefined).toBe(undo.extent === 'nothing');
      undone.push([undo.extent, undo.requests.map(({ method, path: to }) => `${method} ${to}`)]);
    }
    expect(undone).toEqual([
      ['whole', ['POST /api/v1/namespaces/shop/configmaps']],
      ['nothing', []],
      ['part', ['POST /apis/apps/v1/namespaces/shop/deployments']],
    ]);
  });
});

describe('the journal of a later version', () => {
  async function changed(change: (line: Record<string, unknown>) => string) {
    const journal = await journalOf('before-0.1.0');
    const [first] = await journal.list();
    const id = first?.intended.id ?? '';
    const file = path.join(journal.folder, 'journal', id, 'journal.jsonl');
    const [line = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [change(JSON.parse(line) as Record<string, unknown>), ...rest].join('\n'));
    return { journal, id, first };
  }

  it('is refused where its format is another, and not passed over', async () => {
    const { journal, id } = await changed(line => JSON.stringify({ ...line, format: JOURNAL_FORMAT + 1 }));
    const failure = await journal.list().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LaterFormatError);
    expect(String(failure)).toContain(`entry ${id} of the journal was written by a later version`);
    await expect(journal.entry(id)).rejects.toBeInstanceOf(LaterFormatError);
  });

  it('is read where it only says more', async () => {
    const { journal, id, first } = await changed(
      line => `${JSON.stringify(line)}\n{"step":"pondering","at":1}\nnull\n7\n"x"`,
    );
    expect(await journal.entry(id)).toEqual(first);
  });
});

it('an entry that is written now says its format', async () => {
  const journal = new Journal(await temporaryFolder());
  const [first] = await (await journalOf('before-0.1.0')).list();
  if (first === undefined) throw new Error('no entry');
  const { step: _step, id: _id, backup: _backup, ...intended } = first.intended;
  const writer = await journal.begin(intended, []);
  await writer.close();
  expect((await journal.entry(writer.id))?.intended.format).toBe(JOURNAL_FORMAT);
});
