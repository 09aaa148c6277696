import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as open } from "node:https";
import type { AddressInfo } from "node:net";

import type { Access } from "./request.ts";

export interface HoldingProxy {
  /** The same cluster, through the proxy. */
  readonly access: Access;
  /**
   * From now on it takes requests that are like this and neither passes them on nor answers them; by
   * default none.
   *
   * @returns once the first such request is there
   */
  readonly hold: (isLike: (request: IncomingMessage) => boolean) => Promise<void>;
  /** How many requests it has held in all. */
  readonly held: () => number;
  /** Passes everything on again; who has been held is not answered any more. */
  readonly release: () => void;
  readonly stop: () => Promise<void>;
}

/** Stands in front of an API server, which goes on running, and can keep it from answering. */
export async function startProxy(access: Access): Promise<HoldingProxy> {
  let isHeld: (request: IncomingMessage) => boolean = () => false;
  let first: () => void = () => undefined;
  let held = 0;
  const server = createServer((incoming, outgoing) => {
    if (!isHeld(incoming)) {
      passOn(access, incoming, outgoing);
      return;
    }
    held += 1;
    first();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    access: { ...access, server: `http://127.0.0.1:${String(port)}` },
    hold: (isLike) => {
      isHeld = isLike;
      return new Promise((resolve) => {
        first = resolve;
      });
    },
    held: () => held,
    release: () => {
      isHeld = () => false;
    },
    stop: async () => {
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
