import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

describe('docs/stories.md', () => holdPage('stories.md'));
