import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'stories');

describe.each(readdirSync(folder).filter(file => file.endsWith('.md')))('docs/stories/%s', file =>
  holdPage(`stories/${file}`),
);
