import { get } from "node:http";

import type { Socket } from "./network.ts";

/** What a kubelet asks before it calls a container of Linkerd's ready. */
export function isReady({ address: host, port }: Socket): Promise<true | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = get({ host, port, path: "/ready", timeout: 2_000 }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode === 200 || undefined);
    });
    outgoing.on("error", reject);
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer within 2 s")));
  });
}
