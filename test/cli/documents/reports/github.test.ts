import { describe, expect, test } from 'vitest';
import { type Annotation, printAnnotations } from '../../../../src/cli/documents/reports/github.ts';

function printed(...annotations: Annotation[]): string {
  return [...printAnnotations(annotations, '/repository')].join('');
}

describe('annotations on GitHub', () => {
  test('are escaped as the runner takes it back', () => {
    expect(printed({ level: 'error', title: 'a: b, 100%', message: 'one, two: 5%\r\n::warning::x' })).toBe(
      '::error title=a%3A b%2C 100%25::one, two: 5%25%0D%0A::warning::x\n',
    );
  });

  test('name file and line as seen from the repository, and no other files', () => {
    const at = (file: string): string =>
      printed({ level: 'notice', title: 't', message: 'm', place: { file, line: 7 } });
    expect(at('/repository/manifests/a,b.yaml')).toBe(
      '::notice file=manifests/a%2Cb.yaml,line=7,title=t::m\n',
    );
    expect(at('/elsewhere/a.yaml')).toBe('::notice title=t::m\n');
    expect(at('-')).toBe('::notice title=t::m\n');
  });

  test('come worst first, as GitHub shows ten of each level', () => {
    const levels = (['notice', 'error', 'warning', 'error'] as const).map((level, index) => ({
      level,
      title: 't',
      message: String(index),
    }));
    expect(printed(...levels).match(/\d$/gmu)).toEqual(['1', '3', '2', '0']);
  });
});
