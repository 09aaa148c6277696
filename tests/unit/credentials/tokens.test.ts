import assert from "node:assert/strict";
import fc from "fast-check";
import { accountName } from "../../../engine/credentials/objects.ts";
import { heldToken, tokenDue, tokenName, tokenNumber } from "../../../engine/credentials/tokens.ts";

const account = accountName("east");
const now = new Date("2026-06-30T12:00:00Z");
const day = 86_400_000;

const token = (generation: number, serial: number, daysOld = 0) => ({
  name: tokenName(account, { generation, serial }),
  createdAt: new Date(now.getTime() - daysOld * day),
});
const name = (generation: number, serial: number) => token(generation, serial).name;

describe("the token that is due", () => {
  it("is the first one of a new link", () => {
    assert.deepEqual(tokenDue(account, { generation: 1 }, [], undefined, now), {
      name: name(1, 1),
    });
  });

  it("is the one there is, however old, while no age is set", () => {
    const live = [token(1, 1, 4_000)];
    assert.deepEqual(tokenDue(account, { generation: 1 }, live, name(1, 1), now), {
      name: name(1, 1),
    });
  });

  it("is another one when credentialsGeneration changes, up or down", () => {
    for (const generation of [5, 3])
      assert.deepEqual(tokenDue(account, { generation }, [token(4, 2)], name(4, 2), now), {
        name: name(generation, 1),
        why: `credentialsGeneration changed from 4 to ${generation}`,
      });
  });

  it("is another one on the day the old one gets too old", () => {
    const due = (age: number) =>
      tokenDue(account, { generation: 1, maxAgeDays: 30 }, [token(1, 1, age)], name(1, 1), now);
    assert.deepEqual(due(29.9), { name: name(1, 1) });
    assert.deepEqual(due(30), {
      name: name(1, 2),
      why: "the token is 30 days old, and credentialsMaxAge is 30",
    });
  });

  it("is that of a run that broke off before the old one was deleted", () => {
    const live = [token(1, 1, 40), token(1, 2)];
    const due = tokenDue(account, { generation: 1, maxAgeDays: 30 }, live, name(1, 1), now);
    assert.deepEqual(due, { name: name(1, 2) });
  });

  it("goes by number and not by text, beyond nine of them", () => {
    const live = [token(1, 9), token(1, 10)];
    assert.equal(tokenDue(account, { generation: 1 }, live, undefined, now).name, name(1, 10));
  });

  it("has another name when someone deleted the Secret that Pulumi still believes in", () => {
    assert.deepEqual(tokenDue(account, { generation: 2 }, [], name(2, 3), now), {
      name: name(2, 4),
      why: `Secret ${name(2, 3)} no longer exists in the target`,
    });
  });

  it("is not confused by Secrets of other names", () => {
    const live = ["default-token", `${account}-token`, `${account}-token-1-01`, `x${name(1, 7)}`];
    const strangers = live.map((name) => ({ name, createdAt: now }));
    assert.equal(tokenDue(account, { generation: 1 }, strangers, "x", now).name, name(1, 1));
  });

  it("is that of the run before where the source gets no other now, as long as it exists", () => {
    const rotation = { generation: 1, maxAgeDays: 30 };
    const held = (...live: readonly ReturnType<typeof token>[]) =>
      heldToken(tokenDue(account, rotation, live, name(1, 1), now), live, name(1, 1));
    assert.deepEqual(held(token(1, 1, 29)), { name: name(1, 1) });
    assert.deepEqual(held(token(1, 1, 40)), {
      name: name(1, 1),
      waits: "the token is 40 days old, and credentialsMaxAge is 30",
    });
    assert.deepEqual(held(token(1, 1, 40), token(1, 2)), {
      name: name(1, 1),
      waits: `a run that broke off has created ${name(1, 2)}`,
    });
    assert.deepEqual(held(), {
      name: name(1, 2),
      why: `Secret ${name(1, 1)} no longer exists in the target`,
    });
    assert.deepEqual(heldToken({ name: name(1, 1) }, [], undefined), { name: name(1, 1) });
  });

  it("stays the same once it is there: nothing rotates twice", () => {
    const numbers = fc.record({
      generation: fc.integer({ min: 1, max: 3 }),
      serial: fc.integer({ min: 1, max: 12 }),
    });
    const lives = fc.array(fc.tuple(numbers, fc.integer({ min: 0, max: 100 })), { maxLength: 5 });
    const rotations = fc.record(
      { generation: fc.integer({ min: 1, max: 3 }), maxAgeDays: fc.integer({ min: 1, max: 60 }) },
      { requiredKeys: ["generation"] },
    );
    fc.assert(
      fc.property(
        lives,
        rotations,
        fc.option(numbers, { nil: undefined }),
        (found, rotation, last) => {
          const live = found.map(([{ generation, serial }, age]) => token(generation, serial, age));
          const before = last === undefined ? undefined : tokenName(account, last);
          const due = tokenDue(account, rotation, live, before, now).name;
          assert.equal(tokenNumber(account, due)?.generation, rotation.generation);
          const after = [
            ...live.filter((other) => other.name !== due),
            { name: due, createdAt: now },
          ];
          assert.deepEqual(tokenDue(account, rotation, after, due, now), { name: due });
        },
      ),
    );
  });
});
