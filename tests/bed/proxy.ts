import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as open } from "node:https";
import type { AddressInfo } from "node:net";

import type { Access } from "./request.ts";

export type HoldingProxy = Awaited<ReturnType<typeof startProxy>>;

/** Passes requests on to an API server, and can hold them back. */
export async function startProxy(access: Access) {
  let isHeld: (request: IncomingMessage) => boolean = () => false;
  let first: () => void = () => undefined;
  const server = createServer((incoming, outgoing) => {
    if (isHeld(incoming)) first();
    else passOn(access, incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    access: { ...access, server: `http://127.0.0.1:${String(port)}` },
    /** Neither passes on nor answers requests that match, from now on. Resolves once the first such request is there. */
    hold(isLike: (request: IncomingMessage) => boolean): Promise<void> {
      isHeld = isLike;
      return new Promise((resolve) => (first = resolve));
    },
    /** Passes every new request on again. Requests that were held stay without an answer. */
    release() {
      isHeld = () => false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function passOn(access: Access, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url = "/", headers } = incoming;
  const { host: _, ...rest } = headers;
  const upstream = open(
    new URL(url, access.server),
    { method, headers: rest, ca: access.authority },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  upstream.on("error", () => outgoing.destroy());
  incoming.pipe(upstream);
}
