import { equal } from "node:assert/strict";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  flat,
  namespace,
  service,
} from "../fixtures/objects.ts";

const names = ["c0", "c1", "c2"];
const numbered = <T>(count: number, of: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => of(index));

/** Each cluster mirrors 20 Services of the next one. Some lists fill their pages of 500, and one exceeds it by one. */
function ring(): Mesh {
  const servers = names.map((name) =>
    serverWith(
      cluster(name, {
        namespaces: [namespace("shop")],
        services: numbered(489, (index) =>
          index < 20 ? flat(`shop/web-${index}`) : service(`shop/web-${index}`),
        ),
        endpoints: numbered(501, (index) => endpoints(`shop/web-${index}`, [])),
      }),
    ),
  );
  return Mesh.of(servers, {
    links: names.map((source, index) => ({ source, target: names[(index + 1) % 3] })),
    linkDefaults: { gateway: false },
  });
}

// A run reads each cluster once: five lists, with 500 objects on a page. It also lists HTTPRoutes and Deployments of each source.
describe("the requests of a run", () => {
  const mesh = ring();

  it("are one reading of each cluster and one write per mirror in the first up", async () => {
    equal((await mesh.up()).requests, 3 * (8 + 20));
  });

  it("are one reading of each cluster if there is nothing to do", async () => {
    const { requests, failure } = await mesh.preview();
    equal(failure, undefined);
    // With the mirrors, the list of Services needs another page.
    equal(requests, 3 * 9);
  });

  it("are one reading of the source and its targets if each source has its own stack", async () => {
    const stack = Mesh.of([...mesh.servers.values()], { ...mesh.config, sources: ["c0"] });
    await stack.up();
    // Nothing depends on the target's Endpoints, which fill two pages.
    equal((await stack.preview()).requests, 9 + 5);
  });

  it("are one reading of the source and one deletion per mirror in destroy", async () => {
    const source = serverWith(cluster("east", { namespaces: ["shop"] }));
    const services = numbered(20, (index) => exported(`shop/web-${index}`));
    const pair = Mesh.of([source, serverWith(exporting("west", services))]);
    await pair.up();
    equal(source.all("endpoints").size, 20);
    // Besides the five lists, destroy reads Deployments, HTTPRoutes, the Service default/kubernetes, and the Services of each
    // namespace in which a name may have lost its last backend.
    equal((await pair.destroy()).requests, 9 + 20);
    equal(source.all("endpoints").size, 0);
  });
});
