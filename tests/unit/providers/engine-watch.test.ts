import { deepEqual, equal } from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { engineAddress, watchEngine } from "../../../engine/providers/engine-watch.ts";

const script = "/modules/@pulumi/pulumi/cmd/dynamic-provider/index.js";

describe("the watch on the engine", () => {
  let server: Server;
  let address: { readonly host: string; readonly port: number };
  let gone: Promise<void>;
  let isGone = false;

  beforeEach(async () => {
    isGone = false;
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    address = { host: "127.0.0.1", port };
  });
  afterEach(() => server.close());

  it("reconnects while the engine runs, and ends the process once it has gone", async () => {
    const socket = await watched();
    socket.destroy();
    const [again] = (await once(server, "connection")) as [Socket];
    equal(isGone, false);
    server.close();
    again.destroy();
    await gone;
  });

  it("finds the engine's address in the arguments of a dynamic provider and of the plugin", () => {
    const expected = { host: "127.0.0.1", port: 4321 };
    for (const each of [script, "/package/plugin/main.js"])
      deepEqual(engineAddress(["node", each, "127.0.0.1:4321"]), expected);
  });

  it("ignores other processes", () => {
    equal(engineAddress(["node", script]), undefined);
    equal(engineAddress(["node", "/program/index.ts", "127.0.0.1:4321"]), undefined);
    equal(engineAddress([]), undefined);
  });

  /** Begins to watch, and returns the server's end of the connection. */
  async function watched(): Promise<Socket> {
    gone = new Promise((resolve) => {
      watchEngine(address, () => {
        isGone = true;
        resolve();
      });
    });
    const [socket] = (await once(server, "connection")) as [Socket];
    return socket;
  }
});
