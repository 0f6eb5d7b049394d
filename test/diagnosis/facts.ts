/** Whether the facts of findings are what stands in the objects. */
import { isDeepStrictEqual } from 'node:util';
import type { Diagnosis } from '../../src/diagnosis/engine/diagnosis.ts';
import type { Fact, Finding } from '../../src/diagnosis/engine/finding.ts';
import { list, record } from '../../src/model/json/json.ts';
import { objectJson } from '../../src/model/object-json.ts';

/** `CODE PATH` of every fact that isn't so. */
export function wrongFacts({ tracked }: Diagnosis, findings: Iterable<Finding>): readonly string[] {
  const wrong: string[] = [];
  for (const { code, facts } of findings)
    for (const fact of facts) {
      const object = tracked.view.graph.get(fact.object.uid)?.object;
      const found = object && valueAt(objectJson.write(object), fact.path);
      if (!isDeepStrictEqual(found, fact.value)) wrong.push(`${code} ${fact.path}: ${JSON.stringify(found)}`);
    }
  return wrong;
}

function valueAt(json: unknown, path: Fact['path']): unknown {
  let value = json;
  for (const [, index, key, field = ''] of path.matchAll(/\[(\d+)\]|\['([^']*)'\]|([^.[\]]+)/gu))
    value = index === undefined ? record(value)[key ?? field] : list(value)[Number(index)];
  return value;
}
