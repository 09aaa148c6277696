import assert from "node:assert/strict";
import type { Dispatcher } from "undici";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { type Answer, AnsweringDispatcher } from "../../simulation/answering-dispatcher.ts";
import { json, status } from "../../simulation/refusals.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { service } from "./scripted-cluster.ts";

const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
const limit = 3;

describe("the requests that one server gets at a time", () => {
  it("are as many as there are connections, and one that waits to be repeated keeps its turn", async () => {
    const server = new BusyServer();
    const to = { server: "https://west.test", token: "token-of-west" };
    const options = { time: server.time, dispatcher: () => server, connections: limit };
    const client = await connect(to, "west", options);
    await Promise.all(names.map((name) => client.create(resources.services, service(name))));
    await client.close();
    assert.equal(server.most, limit);
    const first = names.slice(0, limit);
    // Those that were refused come again before any other.
    assert.deepEqual(server.asked.slice(0, limit), first);
    assert.deepEqual(server.asked.slice(limit, 2 * limit).sort(), first);
    assert.deepEqual(server.asked.length, names.length + limit);
  });
});

/** Refuses the first requests, and takes its time, in which whatever else is sent comes in. */
class BusyServer extends AnsweringDispatcher {
  readonly time = new VirtualTime();
  /** The names of Services in the order in which they came. */
  readonly asked: string[] = [];
  most = 0;
  #open = 0;

  protected override async answer({ body }: Dispatcher.DispatchOptions): Promise<Answer> {
    const name = /web-\d+/.exec(typeof body === "string" ? body : "")?.[0] ?? "";
    const isRefused = this.asked.length < limit;
    this.asked.push(name);
    this.most = Math.max(this.most, ++this.#open);
    await this.time.sleep(10);
    this.#open--;
    return isRefused
      ? status(429, "TooManyRequests", "later")
      : json(201, { apiVersion: "v1", kind: "Service", ...service(name) });
  }
}
