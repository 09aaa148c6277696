import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { breakerOf, breakerPolicy } from "../../../engine/kubernetes/client/breaker.ts";
import {
  failureOfConnection,
  failureOfResponse,
  type RequestFailure,
} from "../../../engine/kubernetes/client/failure.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { errorOf, forEachTest, service } from "./scripted-cluster.ts";

const { failures, coolDown } = breakerPolicy;
const away = failureOfConnection(Object.assign(new Error(), { code: "ECONNRESET" }));
const refused = (statusCode: number, message = "") =>
  failureOfResponse(
    { statusCode, headers: {} },
    JSON.stringify({ kind: "Status", message }),
    String,
  );

interface Ended {
  readonly failure?: RequestFailure;
  readonly isRead: boolean;
}
const answered: Ended = { isRead: true };
const read = (failure: RequestFailure): Ended => ({ failure, isRead: true });
const write = (failure: RequestFailure): Ended => ({ failure, isRead: false });
const times = (count: number, ...calls: Ended[]) => Array(count).fill(calls).flat() as Ended[];

/** Returns a breaker that has seen these calls. */
function after(calls: readonly Ended[]) {
  const time = new VirtualTime();
  const breaker = breakerOf(time);
  for (const { failure, isRead } of calls) {
    equal(breaker.refusal(), undefined);
    breaker.ended(failure, isRead);
  }
  return { ...breaker, time };
}

describe("the circuit breaker", () => {
  const { open } = forEachTest();

  it("sends nothing more after several calls without an answer, and says so", async () => {
    const { client, received } = await open(() => "reset");
    for (let time = 0; time < failures; time++)
      equal((await errorOf(client.list(resources.services))).notAttempted, undefined);
    const { length } = received;
    const error = await errorOf(client.create(resources.services, service("cart")));
    equal(received.length, length);
    deepEqual([error.kind, error.clusterUnavailable], ["unreachable", true]);
    const why = /cluster west does not answer \(the connection was lost \([A-Z_]+\)\)/;
    match(error.notAttempted ?? "", why);
    equal(
      error.message.replace(why, "REASON"),
      "create Service shop/cart was not attempted in cluster west, because REASON; run again later",
    );
  });

  it("tries one call after a while, and allows all again once one is answered", () => {
    const { time, ...breaker } = after(times(failures, read(away)));
    equal(breaker.refusal(), away);
    time.pass(coolDown);
    deepEqual([breaker.refusal(), breaker.refusal()], [undefined, away]);
    breaker.ended(away, true);
    time.pass(coolDown - 1);
    equal(breaker.refusal(), away);
    time.pass(1);
    equal(breaker.refusal(), undefined);
    breaker.ended(undefined, true);
    deepEqual([breaker.refusal(), breaker.refusal()], [undefined, undefined]);
  });

  const byWebhook = refused(500, 'failed calling webhook "check.example.com"');
  const opens: Readonly<Record<string, Ended[]>> = {
    "reads fail with 500": times(failures, read(refused(500))),
    "writes fail with 504": times(failures, write(refused(504))),
    "writes fail with 429, although reads between them succeed": times(
      failures,
      answered,
      write(refused(429)),
    ),
    "reads get no answer, although a webhook answers a write between them": [
      ...times(failures - 1, read(away)),
      write(byWebhook),
      read(away),
    ],
  };
  for (const [what, calls] of Object.entries(opens))
    it(`opens if ${what}`, () => {
      notEqual(after(calls).refusal(), undefined);
    });

  const staysClosed: Readonly<Record<string, Ended[]>> = {
    "some reads get no answer": times(2, ...times(failures - 1, read(away)), answered),
    "a webhook refuses writes": times(failures, write(byWebhook)),
    "a quota refuses writes": times(failures, write(refused(403, "exceeded quota"))),
  };
  for (const [what, calls] of Object.entries(staysClosed))
    it(`stays closed if ${what}`, () => {
      equal(after(calls).refusal(), undefined);
    });
});
