import { describe, expect, it } from 'vitest';
import { parameterExamples } from '../../../src/api/reference/example-values.ts';

describe("examples of the API's parameters", () => {
  it('are links that the operator chose, never commands, which no parameter takes', () => {
    const player = 'https://osu.ppy.sh/users/4400001';
    const examples = parameterExamples([
      { kind: 'player', url: '/osu profile lamp post' },
      { kind: 'player', url: player },
      { kind: 'beatmap', url: '/beatmap info 900001' },
    ]);
    expect(examples.user).toBe(player);
    expect(examples.id).toMatch(/^\d+$/);
  });
});
