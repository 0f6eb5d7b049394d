/** The properties that `npm run fuzz:bytes` looks for breaches of: on what once broke them, and on some random inputs. */
import { describe, it } from 'vitest';
import { corpusOf } from './corpus.ts';
import { mutated, randomFrom } from './mutate.ts';
import { targets } from './targets.ts';

const ROUNDS = 300;

describe.each(targets.map(target => [target.name, target] as const))('%s', (_, target) => {
  it('holds on what is right, and on what once broke it', () => {
    for (const input of [...target.seeds(), ...corpusOf(target.name)]) target.check(input);
  });

  it('holds on random changes of these', () => {
    const inputs = [...target.seeds(), ...corpusOf(target.name)];
    const random = randomFrom(17);
    for (let round = 0; round < ROUNDS; round++) {
      const input = mutated(inputs, target.words, random);
      try {
        target.check(input);
      } catch (error) {
        throw new Error(`broken by ${input.toString('base64')}`, { cause: error });
      }
    }
  });
});
