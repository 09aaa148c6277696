import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { type Connect, surveyClusters } from "../../../components/preflight.ts";
import { AccessError } from "../../../engine/kubernetes/kubeconfig.ts";
import type { Kubernetes } from "../../../engine/kubernetes/interface.ts";
import { connect } from "../../../engine/kubernetes/connect.ts";
import { configOf } from "../config/table.ts";
import { type Reply, type Script, status, withCluster } from "../kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../trust/certificates.ts";

const root = authority({ name: "root" });
const issuer = issuerUnder(root);

/** A cluster with this UID on which Linkerd runs. */
function cluster(uid: string): Script {
  const objects: Readonly<Record<string, unknown>> = {
    "/api/v1/namespaces/kube-system": {
      kind: "Namespace",
      metadata: { name: "kube-system", uid },
    },
    "/api/v1/namespaces/linkerd/configmaps/linkerd-identity-trust-roots": {
      kind: "ConfigMap",
      data: { "ca-bundle.crt": root.pem },
    },
    "/api/v1/namespaces/linkerd/secrets/linkerd-identity-issuer": {
      kind: "Secret",
      metadata: {},
      data: { "tls.crt": Buffer.from(issuer.pem).toString("base64") },
    },
  };
  return ({ url }): Reply => {
    const body = objects[url.pathname];
    return body === undefined ? status(404, "NotFound", "not found") : { body };
  };
}

type Survey = Awaited<ReturnType<typeof surveyClusters>>;

/** What is found where west and east answer like this. */
async function surveyed(west: Script, east: Script): Promise<{ survey: Survey; open: number }> {
  let found: { survey: Survey; open: number } | undefined;
  await withCluster(west, async (one) => {
    await withCluster(east, async (other) => {
      let open = 0;
      const opener: Connect = async (_access, name) => {
        const { kubeconfig, time } = name === "west" ? one : other;
        const client = await connect({ context: "k3d-west", kubeconfig }, name, { time });
        open += 1;
        return counted(client, () => (open -= 1));
      };
      found = { survey: await surveyClusters(configOf({}), opener), open };
    });
  });
  if (found === undefined) throw new Error("there was no survey");
  return found;
}

function counted(client: Kubernetes, closed: () => void): Kubernetes {
  return {
    cluster: client.cluster,
    requests: client.requests,
    list: (...args) => client.list(...args),
    get: (...args) => client.get(...args),
    find: (...args) => client.find(...args),
    create: (...args) => client.create(...args),
    replace: (...args) => client.replace(...args),
    apply: (...args) => client.apply(...args),
    patch: (...args) => client.patch(...args),
    remove: (...args) => client.remove(...args),
    close: () => {
      closed();
      return client.close();
    },
  };
}

describe("cluster: what a run has to know first", () => {
  it("who each cluster is and what it trusts; no connection stays open", async () => {
    const { survey, open } = await surveyed(cluster("u1"), cluster("u2"));
    deepEqual(
      [...survey.uids],
      [
        ["west", "u1"],
        ["east", "u2"],
      ],
    );
    deepEqual(
      [...survey.trust].map(([name, { state }]) => [name, state]),
      [
        ["west", "present"],
        ["east", "present"],
      ],
    );
    equal(open, 0);
  });

  it("a cluster that does not answer is no reason to stop", async () => {
    const { survey } = await surveyed(cluster("u1"), () => "reset");
    equal(survey.uids.get("east"), undefined);
    const east = survey.trust.get("east");
    match(east?.state === "unreadable" ? east.why : "", /^cluster east can't be reached at /);
  });

  it("one that does not tell its UID may still tell the rest", async () => {
    const script: Script = (request, index) =>
      request.url.pathname.endsWith("/kube-system")
        ? status(403, "Forbidden", "no")
        : cluster("u2")(request, index);
    const { survey } = await surveyed(cluster("u1"), script);
    deepEqual([survey.uids.get("east"), survey.trust.get("east")?.state], [undefined, "present"]);
  });

  it("one cluster given twice is", async () => {
    await rejects(surveyed(cluster("u1"), cluster("u1")), {
      message:
        "The clusters are not as they should be:\n  linkerd-multicluster:clusters.east leads to the same cluster as linkerd-multicluster:clusters.west (its kube-system has UID u1): fix the context of one of them, or list the cluster once.",
    });
  });

  it("so are contexts that are not there, all at once", async () => {
    const none: Connect = (_access, name) =>
      Promise.reject(new AccessError(name, `no context ${name} in config`));
    await rejects(surveyClusters(configOf({}), none), {
      message:
        "The clusters are not as they should be:\n  cluster west: no context west in config.\n  cluster east: no context east in config.",
    });
  });
});
