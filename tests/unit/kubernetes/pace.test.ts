import assert from "node:assert/strict";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { Pace, pacePolicy } from "../../../engine/kubernetes/client/pace.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { type Answer, AnsweringDispatcher } from "../../simulation/answering-dispatcher.ts";
import { json, status } from "../../simulation/refusals.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { service } from "./scripted-cluster.ts";

/** A round: as many answers as there may be requests in flight. */
function round(pace: Pace, milliseconds: number): void {
  for (let { limit } = pace; limit > 0; limit--) pace.answered({ refused: false, milliseconds });
}

function after(...rounds: readonly number[]): number {
  const pace = new Pace();
  for (const milliseconds of rounds) round(pace, milliseconds);
  return pace.limit;
}

const quick = Array.from({ length: 100 }, () => 5);

describe("how many requests a cluster gets at a time", () => {
  it("grows by one with each round, up to its bound", () => {
    assert.equal(after(5), 9);
    assert.equal(after(5, 5, 5), 11);
    assert.equal(after(...quick), pacePolicy.most);
  });

  it("shrinks by a fifth with a round that takes four times as long as the fastest", () => {
    assert.equal(after(...quick, 21), 25);
    assert.equal(after(...quick, 19), pacePolicy.most);
    assert.equal(after(...quick, ...quick.map(() => 1_000)), pacePolicy.leastForSlow);
  });

  it("takes no notice of what nobody would notice", () => {
    assert.equal(after(1, 1, 1, 19), 12);
  });

  it("takes no server for slow that has never been faster", () => {
    assert.equal(after(...quick.map(() => 300)), pacePolicy.most);
  });

  it("does not judge by answers whose time says nothing", () => {
    const pace = new Pace();
    for (let count = 8; count > 0; count--) pace.answered({ refused: false });
    assert.equal(pace.limit, 9);
    round(pace, 500);
    assert.equal(pace.limit, 10);
  });

  it("halves once for all requests that are refused together, down to a single one", () => {
    const pace = new Pace();
    for (const expected of [4, 4, 4, 4, 4, 4, 4, 4]) {
      pace.answered({ refused: true });
      assert.equal(pace.limit, expected);
    }
    for (let refused = 0; refused < 40; refused++) pace.answered({ refused: true });
    assert.equal(pace.limit, 1);
  });

  it("grows again once requests are no longer refused", () => {
    const pace = new Pace();
    pace.answered({ refused: true });
    for (const milliseconds of quick) pace.answered({ refused: false, milliseconds });
    assert.ok(pace.limit > 10, String(pace.limit));
  });
});

describe("the pace of calls", () => {
  it("never lets more through than the limit, nor keeps any for good", async () => {
    const pace = new Pace({ ...pacePolicy, first: 3, most: 3 });
    let running = 0;
    let most = 0;
    const call = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => pace.run(call)));
    assert.deepEqual([most, running], [3, 0]);
  });

  it("is the server's: those that come after some were refused are fewer at a time", async () => {
    const server = new BusyServer();
    const to = { server: "https://west.test", token: "token-of-west" };
    const client = await connect(to, "west", { time: server.time, dispatcher: () => server });
    const create = () => client.create(resources.services, service("web"));
    await Promise.all(Array.from({ length: 40 }, create));
    await client.close();
    const { together } = server;
    const repeated = 2 * pacePolicy.first;
    assert.equal(Math.max(...together.slice(0, repeated)), pacePolicy.first);
    const next = Math.max(...together.slice(repeated, repeated + 4));
    assert.ok(next <= 5, `${next} at a time`);
  });
});

/** Refuses the first requests, and takes its time, in which whatever else is sent comes in. */
class BusyServer extends AnsweringDispatcher {
  readonly time = new VirtualTime();
  /** How many requests there were when each came in. */
  readonly together: number[] = [];
  #open = 0;

  protected override async answer(): Promise<Answer> {
    const isRefused = this.together.length < pacePolicy.first;
    this.together.push(++this.#open);
    await this.time.sleep(10);
    this.#open--;
    return isRefused
      ? status(429, "TooManyRequests", "later")
      : json(201, { apiVersion: "v1", kind: "Service", ...service("web") });
  }
}
