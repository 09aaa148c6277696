import { match, ok, rejects } from "node:assert/strict";
import { mock } from "node:test";
import { inspect } from "node:util";

import { Dispatcher } from "undici";
import { revoke } from "../../engine/credentials/revocation.ts";
import { connect, connectToWatch } from "../../engine/kubernetes/client/connect.ts";
import { systemTime } from "../../engine/kubernetes/client/retry.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { attempt } from "../../engine/mirroring/apply/failures.ts";
import { gatewayFactsOf } from "../../engine/gateway/facts.ts";
import { linkerdGateway } from "../../engine/model/link.ts";
import { Clusters } from "../../engine/reading/clusters.ts";
import { readMesh } from "../../engine/reading/read-mesh.ts";
import { tryCredentials } from "../../engine/reading/credentials.ts";
import { kubeconfigFor } from "../../engine/credentials/kubeconfig.ts";
import { unlessCancelled } from "../../engine/providers/process.ts";
import { served } from "../../engine/providers/served.ts";
import { observeTrust } from "../../engine/trust/observe.ts";
import { watchCluster } from "../../cli/watch/cluster-watch.ts";
import { ControlLoop } from "../../cli/watch/control-loop.ts";
import { main } from "../../cli/main.ts";
import { complain } from "../../scripts/complain.ts";

const bug = new TypeError("Cannot read properties of undefined");

class BrokenDispatcher extends Dispatcher {
  override request(): Promise<never> {
    return Promise.reject(bug);
  }
}

const to = { server: "https://west.example", token: "secret" };
const options = { dispatcher: () => new BrokenDispatcher() };
const access = { context: "west" };

class BrokenClusters extends Clusters {
  override client() {
    return connect(to, "west", options);
  }
}

describe("a bug", () => {
  const broken = () => Promise.reject(bug);
  const { signal } = new AbortController();
  const places: Readonly<Record<string, () => Promise<unknown>>> = {
    "a request": async () => (await connect(to, "west", options)).list(resources.services),
    "a watch of objects": async () => {
      const calls = { opened: () => undefined, changed: () => undefined };
      const watching = await connectToWatch(to, "west", options);
      return watching.watch(resources.services, "1", calls, signal);
    },
    "trying the credentials of a link": () => {
      const context = { target: "west", uid: undefined, rules: [] };
      return tryCredentials(kubeconfigFor({ ...to, cluster: "west", user: "east" }), context, {
        connect: broken,
      });
    },
    "resolving a gateway's hostname": () => {
      const gateway = {
        ...linkerdGateway,
        addresses: ["gateway.example"],
        port: 4143,
        identity: "",
      };
      return gatewayFactsOf(gateway, undefined, "west", { resolve: broken, own: broken });
    },
    "writing a mirror": () => attempt([{ key: "shop/web" as const }], broken),
    "ending a cancelled run": () => unlessCancelled({ isCancelled: true }, broken),
    "watching a cluster": () =>
      watchCluster(
        {
          cluster: "west",
          interest: { access, selectors: [], withEndpoints: [], named: [], mirrorsOf: [] },
          connect: broken,
          time: systemTime,
          observe: () => undefined,
          changed: () => undefined,
        },
        signal,
      ),
    "running a stack after a change": () =>
      new ControlLoop({
        stack: { sources: broken, run: broken, nextStepIn: () => Infinity },
        dryRun: broken,
        meshWatch: { update: () => undefined },
        observe: () => undefined,
        resync: 600_000,
      }).run(signal),
  };
  for (const [place, work] of Object.entries(places))
    it(`in ${place} becomes no message`, () => rejects(work, (error) => error === bug));

  const refusing: Readonly<Record<string, () => Promise<unknown>>> = {
    "reading which clusters answer": () =>
      readMesh({ clusters: { west: access } }, new BrokenClusters(), {
        installations: { linkerdNamespace: "linkerd", clusters: { west: {} } },
      }),
    "reading the trust of clusters": async () =>
      observeTrust(new Map([["west", { value: await connect(to, "west", options) }]]), "linkerd"),
    "revoking a cluster": () => {
      const targets = { west: { context: "west", uid: "1" } };
      const args = { source: "east", isolated: false, targets, namespace: "linkerd-multicluster" };
      return revoke(args, () => connect(to, "west", options));
    },
    "reading a mesh": () =>
      readMesh({ clusters: { west: access } }, new BrokenClusters(), {
        clusters: { west: {} },
      }),
  };
  for (const [place, work] of Object.entries(refusing))
    it(`in ${place} refuses that cluster alone, and is printed with its stack`, async () => {
      const printed = mock.method(console, "error", () => undefined);
      const found = await work().finally(() => {
        mock.restoreAll();
      });
      match(inspect(found, { depth: 9 }), /cluster west is refused, because .* a bug in linkerd-/);
      match(String(printed.mock.calls[0]?.arguments), /cluster west .*: TypeError.*\n {4}at /);
    });

  const programs = {
    // Node refuses such a path by a TypeError.
    "the CLI": () => main(["node", "linkerd-clusters", "status", "--cwd", "\0"]),
    "a script": () => {
      complain(bug);
    },
  };
  for (const [place, work] of Object.entries(programs))
    it(`in ${place} is printed with its stack`, async () => {
      const write = process.stderr.write.bind(process.stderr);
      const { exitCode } = process;
      const printed: string[] = [];
      process.stderr.write = (text) => printed.push(String(text)) > 0;
      try {
        await work();
        ok(process.exitCode !== 0);
        match(printed.join(""), /^TypeError.*\n {4}at /);
      } finally {
        process.stderr.write = write;
        process.exitCode = exitCode;
      }
    });

  it("in a provider's create or update has its stack in the message, which alone Pulumi shows", async () => {
    const fail = () => Promise.reject(new TypeError("a bug"));
    const bug = { message: "a bug", stack: /\n {4}at / };
    const withStack = { message: /^TypeError: a bug\n {4}at / };
    const methods = {
      check: fail,
      diff: fail,
      create: fail,
      update: fail,
      read: fail,
      delete: fail,
    };
    const shown = served(() => Promise.resolve(methods));
    await rejects(shown.check({}, {}), bug);
    await rejects(shown.read("id"), bug);
    await rejects(shown.delete("id", {}), bug);
    await rejects(shown.create({}), withStack);
    await rejects(shown.update("id", {}, {}), withStack);
  });
});
