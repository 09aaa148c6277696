import assert from "node:assert/strict";
import { breakerPolicy } from "../../../engine/kubernetes/client/breaker.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import {
  errorOf,
  type Reply,
  service,
  serviceList,
  status,
  withCluster,
} from "./scripted-cluster.ts";

const { failures, coolDown } = breakerPolicy;
const list = (client: Kubernetes) => client.list(resources.services);
const create = (client: Kubernetes) => client.create(resources.services, service("cart"));

/** Lets that many calls fail. */
async function fail(call: () => Promise<unknown>, times = failures): Promise<void> {
  for (let time = 0; time < times; time++)
    assert.equal((await errorOf(call())).notAttempted, undefined);
}

describe("a cluster that does not answer", () => {
  it("is not asked any more after some calls, and the error says so", () =>
    withCluster(
      () => "reset",
      async ({ client, received }) => {
        await fail(() => list(client));
        const { length } = received;
        const error = await errorOf(create(client));
        assert.equal(received.length, length);
        assert.equal(error.kind, "unreachable");
        assert(error.clusterUnavailable);
        const why = "cluster west does not answer (the connection was lost (UND_ERR_SOCKET))";
        assert.match(error.notAttempted ?? "", /^cluster west does not answer \(the connection/);
        assert.equal(
          error.message.replace("ECONNRESET", "UND_ERR_SOCKET"),
          `create Service shop/cart was not attempted in cluster west, because ${why}; run again later`,
        );
      },
    ));

  it("is asked once after a while, and by all again when it answers", () => {
    let away = true;
    return withCluster(
      () => (away ? "reset" : serviceList([])),
      async ({ client, received, time }) => {
        await fail(() => list(client));
        time.pass(coolDown);
        const { length } = received;
        const both = await Promise.all([errorOf(list(client)), errorOf(list(client))]);
        assert.deepEqual(
          both.map(({ notAttempted }) => notAttempted === undefined),
          [true, false],
        );
        assert.equal(received.length, length + 2);
        time.pass(coolDown - 1);
        assert.notEqual((await errorOf(list(client))).notAttempted, undefined);
        time.pass(1);
        away = false;
        await list(client);
        away = true;
        await fail(() => list(client));
      },
    );
  });

  it("is one that has failed some calls in a row, not here and there", () => {
    let away = true;
    return withCluster(
      () => (away ? "reset" : serviceList([])),
      async ({ client }) => {
        await fail(() => list(client), failures - 1);
        away = false;
        await list(client);
        away = true;
        await fail(() => list(client));
      },
    );
  });

  for (const status of [429, 503, 504])
    it(`may be one that answers a write with ${status}`, () =>
      withCluster(
        () => ({ status }),
        async ({ client }) => {
          await fail(() => create(client));
          assert.match((await errorOf(create(client))).notAttempted ?? "", /does not answer \(\d/);
        },
      ));

  it("may be one that answers the reads between its failing writes", () =>
    withCluster(
      ({ method }) => (method === "GET" ? serviceList([]) : { status: 429 }),
      async ({ client }) => {
        for (let time = 0; time < failures; time++) {
          await list(client);
          await fail(() => create(client), 1);
        }
        assert.notEqual((await errorOf(create(client))).notAttempted, undefined);
      },
    ));

  it("may be one whose reads fail with 500", () =>
    withCluster(
      () => status(500, "InternalError", "etcd is away"),
      async ({ client }) => {
        await fail(() => list(client));
        const error = await errorOf(list(client));
        assert.equal(error.notAttempted, "cluster west does not answer (etcd is away)");
      },
    ));

  const webhook = 'failed calling webhook "check.example.com": context deadline exceeded';
  const ofOne: readonly (readonly [string, Reply])[] = [
    ["a webhook that fails", status(500, "InternalError", `Internal error occurred: ${webhook}`)],
    ["a webhook that answers 503", status(503, "ServiceUnavailable", `admission ${webhook}`)],
    ["a quota that is used up", status(403, "Forbidden", "exceeded quota: few")],
    ["a quota that can't be evaluated", status(500, "InternalError", "quota evaluation timed out")],
    ["an invalid object", status(422, "Invalid", "spec.ports: Required value")],
  ];
  for (const [what, reply] of ofOne) {
    it(`is not one that refuses a write because of ${what}`, () =>
      withCluster(
        () => reply,
        async ({ client }) => {
          await fail(() => create(client), 2 * failures);
        },
      ));
  }

  it("is still one when a write among its failures is refused by a webhook", () => {
    const refused = status(500, "InternalError", `Internal error occurred: ${webhook}`);
    return withCluster(
      ({ method }) => (method === "POST" ? refused : "reset"),
      async ({ client }) => {
        await fail(() => list(client), failures - 1);
        await fail(() => create(client), 1);
        await fail(() => list(client), 1);
        assert.notEqual((await errorOf(list(client))).notAttempted, undefined);
      },
    );
  });
});
