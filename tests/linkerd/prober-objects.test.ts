import assert from "node:assert/strict";
import { linksPath } from "../bed/links.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { beyond, manifests, rightsIn, rightsUsed } from "../e2e/runner-account.ts";
import { linksConfig, prepareClusters, runnersKubeconfig } from "./links-runner.ts";
import { realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const reading = manifests("preview.yaml", "preview-mesh.yaml", "preview-secrets.yaml");
const links = manifests("links.yaml");
const own = manifests("up.yaml", "prober.yaml");
/** Pulumi's plugin does without the Events that it asks for. */
const events = ["list events", "watch events"];
const extension = "linkerd-multicluster";
const prober = "mesh-watch:1";
const roles = "/apis/rbac.authorization.k8s.io/v1";
const [creds, access] = ["read-remote-creds-west", "access-local-resources-west"];
const objects = [
  `/apis/apps/v1/namespaces/${extension}/deployments/prober-west`,
  `/api/v1/namespaces/${extension}/serviceaccounts/linkerd-service-mirror-west`,
  `${roles}/namespaces/${extension}/roles/linkerd-service-mirror-${creds}`,
  `${roles}/namespaces/${extension}/rolebindings/linkerd-service-mirror-${creds}`,
  `${roles}/clusterroles/linkerd-service-mirror-${access}`,
  `${roles}/clusterrolebindings/linkerd-service-mirror-${access}`,
  `/api/v1/namespaces/${extension}/services/ping-west`,
  `/api/v1/namespaces/${extension}/endpoints/ping-west`,
];

/** Each test continues from the one before. */
describe(`the objects of a prober, with only the rights of examples/rbac and real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let kubeconfig: string;

  before(async () => {
    const { west } = real.clusters;
    await prepareClusters(real.clusters, {
      west: [...reading, ...links],
      east: [...reading, ...links, ...own],
    });
    const annotations = {
      "mirror.linkerd.io/probe-path": "/ready",
      "mirror.linkerd.io/probe-period": "3",
    };
    await clusters.post(west, clusters.inNamespace(extension, "services"), {
      metadata: { name: "linkerd-gateway", annotations },
      spec: { ports: [{ name: "mc-probe", port: 4191 }] },
    });
    await clusters.addService(west, "shop", "web", {
      labels: { "mirror.linkerd.io/exported": "true" },
    });
    kubeconfig = await runnersKubeconfig(real.clusters, real.bed.folder);
    stack = await newStack(real.bed, "prober", config({ prober }));
  });

  // The checks would fail, since Linkerd itself isn't there, and after a failure Pulumi deletes nothing.
  const up = (...words: string[]) =>
    stack.run(["up", "--yes", "--skip-preview", "--exclude", "**:Health::checks", ...words]);
  const found = async () => {
    const { east } = real.clusters;
    const codes = objects.map(async (path) => (await east.request("GET", path)).code);
    return [...new Set(await Promise.all(codes))];
  };

  it("are there after a run, which lacks no right, and stay as they are", async () => {
    const { east } = real.clusters;
    const used = await rightsUsed(
      real.bed,
      async () => {
        assert.match(await stack.pulumi("preview"), /ping-west/);
        await up();
        assert.deepEqual(await found(), [200]);
        await up("--refresh");
      },
      events,
      "",
    );
    assert.deepEqual(beyond(used, rightsIn([...reading, ...links, ...own])), events);
    const { subsets } = await clusters.get<{ subsets: unknown }>(east, objects[7] ?? "");
    const ports = [{ name: "mc-probe", port: 4191, protocol: "TCP" }];
    assert.deepEqual(subsets, [{ addresses: [{ ip: "192.0.2.7" }], ports }]);
    assert.deepEqual(changesOf(await stack.pulumi("preview", "--diff")), []);
  });

  it("are repaired, and a gateway's new port reaches both the Service and the Deployment", async () => {
    const { west, east } = real.clusters;
    assert.equal((await east.request("DELETE", objects[6] ?? "")).code, 200);
    const gateway = clusters.inNamespace(extension, "services/linkerd-gateway");
    await west.request("PATCH", gateway, { spec: { ports: [{ name: "mc-probe", port: 4999 }] } });
    await up();
    const { spec } = await clusters.get<{ spec: { ports: { port: number }[] } }>(
      east,
      objects[6] ?? "",
    );
    assert.equal(spec.ports[0]?.port, 4999);
    const deployment = JSON.stringify(await clusters.get(east, objects[0] ?? ""));
    assert.match(deployment, /http:\/\/ping-west\.linkerd-multicluster:4999\/ready/);
    const link = JSON.stringify(await clusters.get(east, `${linksPath}/west`));
    assert.match(link, /"path":"\/ready"/);
  });

  it("go when Linkerd's controller gets the link, which keeps the mirrors, and come back", async () => {
    const { east } = real.clusters;
    const deployments = `/apis/apps/v1/namespaces/${extension}/deployments`;
    const labels = {
      component: "controller",
      "linkerd.io/extension": "multicluster",
      "mirror.linkerd.io/cluster-name": "west",
    };
    const containers = [{ name: "controller", image: "controller" }];
    await clusters.post(east, deployments, {
      metadata: { name: "controller-west", labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await stack.configure(config({ mirroring: "controller" }));
    const given = await up();
    assert.equal(given.code, 0, given.text);
    assert.deepEqual(await found(), [404]);
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    const gone = await east.request("DELETE", `${deployments}/controller-west`);
    assert.equal(gone.code, 200);
    await stack.configure(config({ prober }));
    const taken = await up();
    assert.equal(taken.code, 0, taken.text);
    assert.deepEqual(await found(), [200]);
  });

  it("are refused where somebody else has one of that name, which keeps no mirror from being written", async () => {
    const { west, east } = real.clusters;
    await stack.configure(config({}));
    await up();
    assert.deepEqual(await found(), [404]);
    const path = objects[1] ?? "";
    const [, name = ""] = /([^/]+)$/.exec(path) ?? [];
    await clusters.post(east, path.replace(`/${name}`, ""), { metadata: { name } });
    await clusters.addService(west, "shop", "api", {
      labels: { "mirror.linkerd.io/exported": "true" },
    });
    await stack.configure(config({ prober }));
    const { code, text } = await up();
    assert.notEqual(code, 0);
    assert.match(text, /linkerd-service-mirror-west/);
    assert.ok(await clusters.serviceIn(east, "shop", "api-west"));
    assert.equal((await east.request("DELETE", path)).code, 200);
  });

  it("go on destroy, and whatever a tenant has forged stays", async () => {
    const { east } = real.clusters;
    await up();
    assert.deepEqual(await found(), [200]);
    const labels = {
      "mirror.linkerd.io/mirrored-service": "false",
      "mirror.linkerd.io/mirrored-gateway": "true",
      "mirror.linkerd.io/cluster-name": "west",
    };
    await clusters.addService(east, "shop", "ping-west", { labels });
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.deepEqual(await found(), [404]);
    assert.ok(await clusters.serviceIn(east, "shop", "ping-west"));
  });

  function config(link: Config): Config {
    return linksConfig(real.clusters, kubeconfig, { link });
  }
});

/** Returns the resources that a preview would change, but for the checks, which failed in the last run. */
function changesOf(preview: string): string[] {
  return preview.split("\n").filter((line) => /^\s+[-+~].*(Deployment|Role|Mirrors)/.test(line));
}
