import assert from "node:assert/strict";

import { resources } from "../../engine/kubernetes/resources.ts";
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
import { createNamespaces } from "./mirroring/world.ts";

const subjects = {
  Services: services,
  Endpoints: endpointsOf,
  writes,
  lists,
  managers,
  Links: links,
};

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
