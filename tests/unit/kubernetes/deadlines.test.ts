import { equal, match, ok } from "node:assert/strict";
import type { ConnectOptions } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { retryPolicy, systemTime } from "../../../engine/kubernetes/client/retry.ts";
import { VirtualTime } from "../../simulation/time.ts";
import {
  errorOf,
  forEachTest,
  listError,
  listing,
  type Reply,
  serviceList,
} from "./scripted-cluster.ts";

/** A call has this many ms. */
function within(milliseconds: number): ConnectOptions {
  const working = { ...retryPolicy.working, within: milliseconds };
  return { time: systemTime, retry: { ...retryPolicy, working } };
}

describe("the deadline of a call", () => {
  it("cuts off an answer that arrives too slowly", async () => {
    const { error, received } = await listError(() => "trickle", within(300));
    equal(error.kind, "late");
    ok(error.clusterUnavailable);
    match(
      error.message,
      /^cluster west is too slow to list services: no complete answer within 0.3 s; check its API server at http:\S+ and the network to it$/,
    );
    equal(received.length, 1);
  });

  it("cuts off an answer that never comes, and no other", async () => {
    equal((await listError(() => "silence", within(200))).error.kind, "late");
    equal((await listing(() => serviceList([]), within(60_000))).names.length, 0);
  });
});

describe("the deadline of a list", () => {
  const pages = (_: unknown, number: number): Reply =>
    serviceList([`service-${number}`], `to ${number}`);

  it("ends the list before it requests another page", async () => {
    const time = new VirtualTime();
    const slowly = (asked: unknown, number: number) => {
      time.pass(200);
      return pages(asked, number);
    };
    const { error, received } = await listError(slowly, { time, listTimeout: 300 });
    match(
      error.message,
      /^cluster west is too slow to list services: the list is not complete after 0.3 s and 2 pages; check/,
    );
    equal(received.length, 2);
  });
});

describe("a cancelled run", () => {
  const { open } = forEachTest();
  /** The two steps of a cancellation, and their messages. */
  const controllers = () => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    return { stop, abort, cancellation: { stop: stop.signal, abort: abort.signal } };
  };

  it("sends no further request", async () => {
    const { stop, cancellation } = controllers();
    stop.abort();
    const { error, received } = await listError(() => serviceList([]), { cancellation });
    equal(error.kind, "cancelled");
    equal(error.notAttempted, "the run was cancelled");
    equal(received.length, 0);
  });

  it("does not wait for the next attempt", async function () {
    // Less than the wait that the server asks for.
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
