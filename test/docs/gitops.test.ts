import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

describe('docs/gitops.md', () => holdPage('gitops.md'));
