/** The YAML of kubectl's own files, a kubeconfig and a kuberc, read as kubectl reads it. */
import { readYamlDocument, YamlError } from '../../source/files/yaml/document.ts';

/** More than any such file needs. */
const MAX_DEPTH = 100;
const MAX_ALIAS_CHARACTERS = 1_000_000;

/**
 * The value of the first document; null for none. A key that is given twice counts where it stands last (sigs.k8s.io/yaml
 * `YAMLToJSON`, v1.6.0), unless that is refused. Throws an error `not valid YAML: …`, which quotes nothing: there may be
 * credentials.
 */
export function readConfigYaml(text: string, { refusesTwice = false } = {}): unknown {
  try {
    return readYamlDocument(firstDocument(text), {
      maxDepth: MAX_DEPTH,
      maxAliasCharacters: MAX_ALIAS_CHARACTERS,
      maxNodes: text.length + 1,
      lastOfTwice: !refusesTwice,
    });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`not valid YAML: line ${error.line} cannot be read`);
  }
}

/** What stands behind it may be anything: nobody reads on. */
function firstDocument(given: string): string {
  const text = given.replace(/^\uFEFF/u, '');
  const start = /^(?:(?:[ \t]*(?:#.*)?|%.*)\r?\n)*(?:---(?=\s|$))?/u.exec(text)?.[0].length ?? 0;
  const length = text.slice(start).search(/^(?:---|\.\.\.)(?=\s|$)/mu);
  return length < 0 ? text : text.slice(0, start + length);
}
