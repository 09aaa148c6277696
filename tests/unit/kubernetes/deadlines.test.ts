import { deepEqual, equal, match, ok } from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { retryPolicy, systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { errorOf, forEachTest, listError, serviceList } from "./scripted-cluster.ts";

it("a call has a deadline, which cuts off an answer that arrives too slowly", async () => {
  const working = { ...retryPolicy.working, within: 300 };
  const options = { time: systemTime, retry: { ...retryPolicy, working } };
  const { error, received } = await listError(() => "trickle", options);
  equal(error.kind, "late");
  ok(error.clusterUnavailable);
  match(
    error.message,
    /^cluster west is too slow to list services: no complete answer within 0.3 s; check its API server at http:\S+ and the network to it$/,
  );
  equal(received.length, 1);
});

it("a list has a deadline, after which it requests no other page", async () => {
  const time = new VirtualTime();
  const slowly = (_: unknown, page: number) => {
    time.pass(200);
    return serviceList([`service-${page}`], `to ${page}`);
  };
  const { error, received } = await listError(slowly, { time, listTimeout: 300 });
  match(error.message, /: the list is not complete after 0.3 s and 2 pages; check/);
  equal(received.length, 2);
});

describe("a cancelled run", () => {
  const { open } = forEachTest();
  const controllers = () => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    return { stop, abort, cancellation: { stop: stop.signal, abort: abort.signal } };
  };

  it("sends no further request", async () => {
    const { stop, cancellation } = controllers();
    stop.abort();
    const { error, received } = await listError(() => serviceList([]), { cancellation });
    deepEqual([error.kind, error.notAttempted], ["cancelled", "the run was cancelled"]);
    equal(received.length, 0);
  });

  it("does not wait for the next attempt", async function () {
    // The server asks for a longer wait than this.
    this.timeout("10s");
    const { stop, cancellation } = controllers();
    const { error, received } = await listError(
      () => {
        setImmediate(() => {
          stop.abort();
        });
        return { status: 429, headers: { "retry-after": "50" } };
      },
      { cancellation, time: systemTime },
    );
    equal(error.kind, "cancelled");
    equal(received.length, 1);
  });

  it("lets requests under way finish, and aborts them a moment later", async () => {
    const { stop, abort, cancellation } = controllers();
    const stopped = new Promise((resolve) => {
      stop.signal.addEventListener("abort", resolve);
    });
    const { client } = await open(
      async ({ url }, index) => {
        if (index === 1) stop.abort();
        await stopped;
        return url.pathname.endsWith("endpoints") ? "silence" : serviceList(["a"]);
      },
      { cancellation },
    );
    const endpoints = errorOf(client.list(resources.endpoints));
    equal((await client.list(resources.services)).length, 1);
    abort.abort();
    const error = await endpoints;
    equal(error.kind, "cancelled");
    equal(error.notAttempted, undefined);
    match(error.message, /^the run was cancelled before cluster west had answered/);
  });
});
