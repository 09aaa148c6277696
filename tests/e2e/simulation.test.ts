import assert from "node:assert/strict";

import { Agent } from "undici";

import { type Bed, startBed } from "../../testbed/bed.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { ApiServer } from "../simulation/api-server.ts";
import { endpointsOf } from "./simulation/endpoints.ts";
import { links } from "./simulation/links.ts";
import { lists } from "./simulation/lists.ts";
import { managers } from "./simulation/managers.ts";
import { link, namespace } from "./simulation/objects.ts";
import { services } from "./simulation/services.ts";
import { type Conversation, Talk } from "./simulation/talk.ts";
import { writes } from "./simulation/writes.ts";

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
 * - It is for programs that send what is valid: it takes any name, label, port, address and status, a body that is not
 *   what its path says, and makes nothing anew that is updated. It gives out no node ports
 *   and no generations.
 * - Pods, Deployments, StatefulSets, ConfigMaps, Secrets and Links are stored as they are sent.
 * - There is no authorization besides the token, no API group but those of kinds.ts, no IPv6 range.
 */
describe("the simulated API server answers as the real one", function () {
  this.timeout("20m");

  let bed: Bed<"west">;
  let real: Agent;
  const simulated = new ApiServer("west");

  before(async () => {
    bed = await startBed({ clusters: ["west"], runs: "controllers" });
    real = new Agent({ connect: { ca: bed.clusters.west.access.authority } });
    simulated.servesLinks = false;
    await sameFrom(({ list }) => list(link("west")), "default");
    await addLinkCrd(bed.clusters.west);
    simulated.servesLinks = true;
  });

  after(async () => {
    await real.close();
    await bed.stop();
  });

  async function sameFrom(conversation: Conversation, name: string): Promise<void> {
    const { server, token } = bed.clusters.west.access;
    const talks = [
      new Talk({ dispatcher: real, origin: server, token }, name),
      new Talk({ dispatcher: simulated, origin: "https://simulated.test", token: "any" }, name),
    ];
    const [expected, actual] = await Promise.all(
      talks.map(async (talk) => {
        if (name !== "default") await talk.create(namespace(name));
        await conversation(talk);
        return talk.answers;
      }),
    );
    assert.deepEqual(actual, expected);
  }

  let number = 0;
  for (const [subject, conversations] of Object.entries(subjects)) {
    describe(subject, () => {
      for (const [what, conversation] of Object.entries(conversations))
        it(what, () => sameFrom(conversation, `of-${++number}`));
    });
  }
});
