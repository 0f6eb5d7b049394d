import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

describe('docs/stepping.md', () => holdPage('stepping.md'));
