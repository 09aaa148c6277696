import { deepEqual, equal } from "node:assert/strict";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { systemTime } from "../../../../engine/kubernetes/client/retry.ts";
import { write } from "../../../../engine/mirroring/apply/write-scope.ts";
import { mirrorsOf } from "../../../../engine/mirroring/model/owner.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import { saved, service, serviceList, withCluster } from "../../kubernetes/scripted-cluster.ts";

describe("an update of a mirror", () => {
  it("sends back what a list does not keep of it", () => {
    const labels = { [label.mirrored]: "true", [label.cluster]: "north" };
    const live = {
      ...service("web-north", { labels, finalizers: ["example.com/hold"] }),
      spec: { ports: [{ port: 80 }], sessionAffinity: "ClientIP" },
    };
    return withCluster(
      ({ method, url }) =>
        method === "GET" && !url.pathname.endsWith("web-north")
          ? serviceList(["web-north"])
          : saved(live),
      async ({ client, received }) => {
        const scope = {
          ...{ kubernetes: client, source: "west", fieldManager: "a stack", time: systemTime },
          owner: mirrorsOf("north"),
          names: ["acme/mesh/dev"],
        };
        const [listed] = await client.list(resources.services);
        const name = { namespace: "shop", name: "web-north" };
        await write(scope, resources.services, name, listed, (now) =>
          now === undefined ? undefined : { ...now, spec: { ...now.spec, type: "ClusterIP" } },
        );
        const sent = received.at(-1);
        equal(sent?.method, "PUT");
        deepEqual(sent.body, {
          ...{ apiVersion: "v1", kind: "Service" },
          ...live,
          spec: { ...live.spec, type: "ClusterIP" },
        });
      },
    );
  });
});
