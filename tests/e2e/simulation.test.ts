import assert from "node:assert/strict";

import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { type Bed, startBed } from "../../testbed/bed.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { ApiServer } from "../simulation/api-server.ts";
import type { Conversation } from "./simulation/conversations.ts";
import { endpointsOf } from "./simulation/endpoints.ts";
import { links } from "./simulation/links.ts";
import { lists } from "./simulation/lists.ts";
import { managers } from "./simulation/managers.ts";
import { realServer, type Server, simulatedServer } from "./simulation/server.ts";
import { services } from "./simulation/services.ts";
import { writes } from "./simulation/writes.ts";
import { createNamespaces } from "./mirroring/shared-bed.ts";

const subjects = {
  Services: services,
  Endpoints: endpointsOf,
  writes,
  lists,
  managers,
  Links: links,
};

/*
 * Where the simulated server differs on purpose:
 * - What controllers do, it does at once: Endpoints go with their Service, and a namespace with all
 *   that is in it. These conversations wait for it.
 * - UIDs, versions, addresses, node ports and times are others. Its clock stands still.
 * - Of messages only the field and the kind of objection are the same, not the words.
 * - Lists in managed fields are one field, and a field that is no longer sent, but kept by the server
 *   (a ClusterIP), stays with its manager. The conversations are about labels and annotations.
 * - Server-side apply is for labels and annotations.
 * - Pods, Deployments, StatefulSets, ConfigMaps and Secrets are stored as they are sent; of a Link's
 *   schema only the rules for conditions hold.
 * - There is no authorization besides the token, no API group but those of kinds.ts, no IPv6 range.
 * - 410 Expired has no conversation: the real server keeps its history for five minutes at least.
 */
describe("the simulated API server answers as the real one", function () {
  this.timeout("20m");

  let bed: Bed<"west">;
  let real: Server;
  let simulated: Server;

  before(async () => {
    bed = await startBed({ clusters: [{ name: "west", runs: "controllers" }] });
    const server = new ApiServer("west");
    [real, simulated] = await Promise.all([realServer(bed.clusters.west), simulatedServer(server)]);
    server.servesLinks = false;
    await sameFrom(({ kube, told }) => Promise.all([told(kube.list(resources.links))]), "default");
    await addLinkCrd(bed.clusters.west);
    server.servesLinks = true;
  });

  after(async () => {
    await Promise.all([real.close(), simulated.close()]);
    await bed.stop();
  });

  async function sameFrom(conversation: Conversation, namespace: string): Promise<void> {
    const [expected, actual] = await Promise.all(
      [real, simulated].map((server) => conversation(server, namespace)),
    );
    assert.deepEqual(actual, expected);
  }

  let number = 0;
  for (const [subject, conversations] of Object.entries(subjects)) {
    describe(subject, () => {
      for (const [what, conversation] of Object.entries(conversations)) {
        it(what, async () => {
          const namespace = `of-${++number}`;
          for (const { kube } of [real, simulated]) await createNamespaces(kube, [namespace]);
          await sameFrom(conversation, namespace);
        });
      }
    });
  }
});
