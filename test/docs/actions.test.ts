import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

describe('docs/actions.md', () => holdPage('actions.md'));
