/**
 * Types Linkerd's guides "Multi-cluster communication with StatefulSets" and "Multi-cluster Federated Services" line by
 * line on real nodes: real pods, real proxies, and `pulumi up` where the guides install and link. With the watch, that
 * does all of it.
 */
import { join } from "node:path";

import { execa } from "execa";

import { UserError } from "@linkerd-multicluster/engine/base";
import { startBed, until } from "../../tests/bed/bed.ts";
import { lackingForNodes } from "../../tests/bed/nodes/kit.ts";
import { lackingForLinkerd, linkerdImages } from "../../tests/bed/nodes/linkerd.ts";
import { notOnPath } from "../../tests/bed/path.ts";
import { environment } from "../../tests/bed/pulumi.ts";
import { type RunningWatch, settled, startWatch } from "../../tests/bed/running-watch.ts";
import type { Cleanup } from "./cleanup.ts";
import { pulumiFor } from "./pulumi.ts";
import type { Screen } from "./screen.ts";

const names = ["west", "east", "north"] as const;

/** The watch installs Linkerd within so many seconds. */
const installation = 600;

type Step = readonly [title: string, why: string, ...lines: readonly (string | Run)[]];

/** The mesh changes here: by a run of Pulumi, or by the watch, after which all these commands succeed. */
interface Run {
  readonly signs: readonly string[];
}

const up = "pulumi up --yes --skip-preview";
const watch = "linkerd-clusters watch";
const onEast = "kubectl --context=east";
const onWest = "kubectl --context=west";
const inDemo = "kubectl --context west -n mc-demo";

/** A request that bypasses the proxy: it runs in the proxy's container, whose traffic isn't redirected. */
const direct =
  `${onEast} exec deploy/curl -c linkerd-proxy -- curl -s -o /dev/null -w '%{http_code}' --max-time 3 ` +
  `$(${onWest} get pod nginx-set-0 -o jsonpath={.status.podIP}) || true`;

const onNode = "nft ";

function federated(target: string): string {
  return `kubectl --context west -n linkerd-multicluster get link/${target} -ojsonpath='{.status.federatedServices}'`;
}

const steps: readonly Step[] = [
  [
    "Install Linkerd, the multicluster extension and the links",
    `The guides do this with linkerd install, linkerd multicluster install and linkerd multicluster link. The last thing that
the run does is linkerd check.`,
    "cat Pulumi.demo.yaml",
    { signs: [] },
  ],
  [
    "Deploy the StatefulSet on west and curl on east",
    "All pods of the default namespaces are meshed.",
    ...[onWest, onEast].map((on) => `${on} annotate namespace default linkerd.io/inject=enabled`),
    `${onWest} apply -f nginx.yml`,
    `${onEast} apply -f curl.yml`,
    `${onWest} rollout status statefulset/nginx-set`,
    `${onEast} rollout status deployment/curl`,
    `${onEast} get pods`,
    `${onWest} get services`,
    `${onWest} get pods`,
    `${onWest} get endpoints nginx-svc -o yaml`,
  ],
  [
    "Ask one of its pods from within west",
    "The name is the pod's own in its cluster.",
    `${onWest} apply -f curl.yml`,
    `${onWest} rollout status deployment/curl`,
    `${onWest} exec deploy/curl -c curl -- curl -s nginx-set-0.nginx-svc.default.svc.west.cluster.local`,
  ],
  [
    "Admit nothing from east to west but requests to the gateway",
    "The guides don't do this: it shows that mirrors need nothing else. So far, east also reaches west's pods.",
    direct,
    `${onNode}-f only-gateway.nft`,
    direct,
  ],
  [
    "Export the Service, and ask the same pod from east",
    "Its name in east leads to an endpoint mirror, which leads to west's gateway.",
    `${onWest} label service nginx-svc mirror.linkerd.io/exported=true`,
    {
      signs: ["nginx-svc", "nginx-set-0", "nginx-set-1", "nginx-set-2"].map(
        (name) => `${onEast} get endpoints ${name}-west`,
      ),
    },
    `${onEast} get services`,
    `${onEast} get endpoints nginx-svc-west -o yaml`,
    `${onEast} exec deploy/curl -c curl -- curl -s nginx-set-0.nginx-svc-west.default.svc.east.cluster.local`,
  ],
  [
    "Deploy bb on all three clusters and label its Services",
    "Each cluster's pod says where it is. Federated Services need a flat network, without the rule for the gateway.",
    `${onNode}delete table inet only_gateway`,
    ...names.flatMap((name) => [
      `sed s/CLUSTER/${name}/ bb.yml | linkerd --context ${name} inject - | kubectl --context ${name} apply -f -`,
      `kubectl --context ${name} -n mc-demo rollout status deployment/bb`,
    ]),
    ...["east", "north", "west"].map(
      (name) =>
        `kubectl --context ${name} -n mc-demo label svc/bb mirror.linkerd.io/federated=member`,
    ),
    { signs: ["east", "north"].map((name) => `${federated(name)} | grep Mirrored`) },
    `${inDemo} get svc`,
    ...["east", "north"].map(federated),
  ],
  [
    "Send requests to the federated Service",
    "West's proxy balances them across the pods of all clusters.",
    `linkerd --context west inject traffic.yml | ${inDemo} apply -f -`,
    `${inDemo} rollout status deployment/traffic`,
    `${inDemo} logs deploy/traffic -c traffic`,
    "linkerd --context west diagnostics endpoints bb-federated.mc-demo.svc.west.cluster.local:8080",
  ],
];

/**
 * @param withWatch runs the watch in place of each run of Pulumi
 * @throws UserError if this machine lacks something for it
 */
export async function playSeeds(
  screen: Screen,
  cleanup: Cleanup,
  withWatch: boolean,
): Promise<void> {
  const { LINKERD_CHARTS: charts = "" } = process.env;
  const plugins = ["command", "kubernetes", "tls"].map((name) => `pulumi-resource-${name}`);
  const lacking = [
    ...(await lackingForNodes()),
    ...(await lackingForLinkerd()),
    ...(await notOnPath(["linkerd", ...plugins])),
    ...(charts === "" ? ["LINKERD_CHARTS names no folder with Linkerd's charts"] : []),
  ];
  if (lacking.length > 0) throw new UserError(`The guides need more: ${lacking.join("; ")}.`);
  screen.heading("Linkerd's multicluster guides, typed line by line");
  const domains = Object.fromEntries(names.map((name) => [name, `${name}.cluster.local`]));
  const images = await linkerdImages(charts);
  const bed = await startBed({ clusters: names, runs: "nodes", nodes: { images, domains } });
  cleanup.add(() => bed.stop());
  // The guide of federated Services has a flat network.
  for (const name of ["east", "north"] as const) {
    await bed.node("west").reachPods(bed.node(name));
    await bed.node(name).reachPods(bed.node("west"));
  }
  const config = {
    manage: "all",
    clusters: Object.fromEntries(
      names.map((name) => {
        const own = { clusterDomain: `${name}.cluster.local` };
        return [name, name === "west" ? own : { ...own, gateway: false }];
      }),
    ),
    links: [
      { source: "east", target: "west", headless: true },
      { source: "west", target: "east", gateway: false },
      { source: "west", target: "north", gateway: false },
    ],
    linkerdCheck: true,
    charts: { source: charts },
  };
  const pulumi = await pulumiFor(bed, config, screen, cleanup);
  const env = environment(bed);
  const cwd = join(import.meta.dirname, "seeds");
  const type = async (line: string): Promise<void> => {
    screen.command(line);
    screen.output((await execa("sh", ["-c", line], { cwd, env })).stdout);
  };
  const changed = withWatch
    ? watching()
    : async () => {
        await pulumi.run(...up.split(" ").slice(1));
      };
  for (const [title, why, ...lines] of steps) {
    screen.step(title, why);
    for (const line of lines) {
      if (typeof line !== "string") await changed(line);
      else if (line.startsWith(onNode)) {
        screen.remark("On west's node:");
        screen.command(line);
        await bed.node("west").run(line.replace("only-gateway.nft", `${cwd}/$&`).split(" "));
      } else if (line.startsWith("cat ")) {
        screen.command(line);
        screen.output(pulumi.config);
      } else if (line.includes(" logs ")) {
        await until("answers of all clusters", [], async () => {
          const { stdout } = await execa("sh", ["-c", line], { env });
          return names.every((name) => stdout.includes(`hello from ${name}`)) || undefined;
        });
        await type(line);
      } else await type(line);
    }
  }

  /** Returns what waits for the watch, which starts with the first change. */
  function watching(): (run: Run) => Promise<void> {
    let running: RunningWatch | undefined;
    return async ({ signs }) => {
      const begun = performance.now();
      if (running === undefined) {
        screen.command(watch);
        const started = startWatch(bed, pulumi);
        cleanup.add(async () => {
          if (!started.isEnded()) process.kill(started.pid, "SIGTERM");
          await started.ended;
        });
        running = started;
        await settled(started, installation);
      }
      for (const sign of signs)
        await until(`"${sign}" to succeed`, [running], () => execa("sh", ["-c", sign], { env }));
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      screen.remark(`The watch did that within ${seconds} s.`);
    };
  }
}
