import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { accountName, tokenName, tokenNumber } from "../../../engine/credentials/objects.ts";
import type { TokenRotation } from "../../../engine/credentials/state.ts";
import {
  heldToken,
  type LiveToken,
  type TokenDue,
  tokenDue,
} from "../../../engine/credentials/tokens.ts";

const account = accountName("east");
const now = new Date("2026-06-30T12:00:00Z");

const token = (generation: number, serial: number, daysOld = 0) => ({
  name: tokenName(account, { generation, serial }),
  createdAt: new Date(now.getTime() - daysOld * 86_400_000),
});
const name = (generation: number, serial: number) => token(generation, serial).name;
const tooOld = "the token is 30 days old, and credentialsMaxAge is 30";
const gone = (...number: [number, number]) =>
  `Secret ${name(...number)} no longer exists in the target`;

describe("the token that is due", () => {
  const aged = { generation: 1, maxAgeDays: 30 };
  const odd = ["default-token", `${account}-token`, `${account}-token-1-01`, `x${name(1, 7)}`];
  const strangers = odd.map((each) => ({ name: each, createdAt: now }));
  /** Takes the rotation, the Secrets in the target, and the Secret of the previous run. */
  function is(
    what: string,
    [rotation, live, before]: readonly [TokenRotation, readonly LiveToken[], string?],
    expected: TokenDue,
  ) {
    it(`is ${what}`, () => {
      deepEqual(tokenDue(account, rotation, live, before, now), expected);
    });
  }
  const [first, one] = [{ name: name(1, 1) }, name(1, 1)];
  const next = { name: name(1, 2) };
  const four = [[token(4, 2)], name(4, 2)] as const;
  is("the first one of a new link", [{ generation: 1 }, []], first);
  is(
    "the same at any age without credentialsMaxAge",
    [{ generation: 1 }, [token(1, 1, 4000)], one],
    first,
  );
  for (const generation of [5, 3])
    is(`a new one for credentialsGeneration ${generation}`, [{ generation }, ...four], {
      name: name(generation, 1),
      why: `credentialsGeneration changed from 4 to ${generation}`,
    });
  is("the same until it is too old", [aged, [token(1, 1, 29.9)], one], first);
  is("a new one on the day when it is too old", [aged, [token(1, 1, 30)], one], {
    ...next,
    why: tooOld,
  });
  is("the one that an interrupted run created", [aged, [token(1, 1, 40), token(1, 2)], one], next);
  is("the one with the highest number", [aged, [token(1, 9), token(1, 10)]], { name: name(1, 10) });
  is("a new one if somebody deleted the Secret", [{ generation: 2 }, [], name(2, 3)], {
    name: name(2, 4),
    why: gone(2, 3),
  });
  is("none with a name in another format", [{ generation: 1 }, strangers, "x"], first);

  it("is the previous one for a source that can't get another, unless it was deleted", () => {
    const held = (...live: LiveToken[]) => {
      const due = tokenDue(account, aged, live, one, now);
      deepEqual(heldToken(due, live, undefined), due);
      return heldToken(due, live, one);
    };
    deepEqual(held(token(1, 1, 29)), first);
    deepEqual(held(token(1, 1, 30)), { ...first, waits: tooOld });
    const waits = `an interrupted run created ${name(1, 2)}`;
    deepEqual(held(token(1, 1, 40), token(1, 2)), { ...first, waits });
    deepEqual(held(), { ...next, why: gone(1, 1) });
  });

  it("is the same in the next run, so that nothing rotates twice", () => {
    const number = (max: number) => fc.integer({ min: 1, max });
    const numbers = fc.record({ generation: number(3), serial: number(12) });
    const lives = fc.array(fc.tuple(numbers, fc.nat({ max: 100 })), { maxLength: 5 });
    const rotations = fc.record(
      { generation: number(3), maxAgeDays: number(60) },
      { requiredKeys: ["generation"] },
    );
    const lasts = fc.option(numbers, { nil: undefined });
    fc.assert(
      fc.property(lives, rotations, lasts, (found, rotation, last) => {
        const live = found.map(([{ generation, serial }, age]) => token(generation, serial, age));
        const before = last && tokenName(account, last);
        const due = tokenDue(account, rotation, live, before, now).name;
        equal(tokenNumber(account, due)?.generation, rotation.generation);
        const others = live.filter((other) => other.name !== due);
        const after = [...others, { name: due, createdAt: now }];
        deepEqual(tokenDue(account, rotation, after, due, now), { name: due });
      }),
    );
  });
});
