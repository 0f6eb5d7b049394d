import { describe } from 'vitest';
import { holdPage } from './checked-page.ts';

describe('README.md', () => holdPage('../README.md'));
