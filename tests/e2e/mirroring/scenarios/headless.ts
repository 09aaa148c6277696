import { patchEndpoints, relabel, unexport } from "../changes.ts";
import { headlessMirror, nothing } from "../mirrors.ts";
import { exportedHeadless, pods, statefulSet } from "../objects.ts";
import type { Scenario } from "../scenario.ts";
import { items } from "../view.ts";
import { create } from "../world.ts";

const both = "port1 555/TCP, port2 666/TCP";
const rootLine = (count: string) => `headless mirror of db: ${both}, ${count}`;
const podLine = (host: string) => `endpoint mirror of ${host}.db: ${both}`;
const h2Contents = headlessMirror({
  namespace: "h2-b",
  service: "db",
  hosts: ["pod-0", "pod-1"],
  version: "rv222",
  versions: { "pod-0": "rv444", "pod-1": "rv555" },
});

const labelComes = { "label lk": 'none → "lv"', "endpoints label lk": 'none → "lv"' };

const confirmed = { action: "confirm: it exists, and gets this stack's mark" };

/** Scenarios of linkerd-behaviour.md 11.1 and 11.4, and the cases of its section 3. */
export const headlessScenarios: readonly Scenario[] = [
  {
    title: "a headless Service gets a headless mirror, and one for its named pod",
    namespace: "c2",
    target: exportedHeadless("c2/db", ["pod-0"], { labels: { lk: "lv" } }),
    run: {
      contents: headlessMirror({
        namespace: "c2",
        service: "db",
        labels: { lk: "lv" },
        hosts: ["pod-0"],
      }),
      comes: { "c2/db-west": rootLine("1 pod"), "c2/pod-0-west": podLine("pod-0") },
    },
    then: {
      title:
        "a changed label reaches the headless mirror, and not the mirrors of its pods, which carry none",
      change: ({ kube }) => relabel(kube.west, "c2/db", { lk: "other" }),
      contents: headlessMirror({
        namespace: "c2",
        service: "db",
        labels: { lk: "other" },
        hosts: ["pod-0"],
      }),
      changes: {
        "c2/db-west": {
          "endpoints label lk": '"lv" → "other"',
          "label lk": '"lv" → "other"',
        },
      },
    },
  },
  {
    title: "a new pod gets an endpoint mirror and joins the root; the others stay as they are",
    namespace: "h1",
    adopted: ["h1/pod-0-west"],
    target: exportedHeadless("h1/db", ["pod-0", "pod-1"]),
    source: items(
      "h1",
      headlessMirror({
        namespace: "h1",
        service: "db",
        hosts: ["pod-0"],
        version: "rv222",
        versions: { "pod-0": "rv333" },
      }),
    ),
    run: {
      contents: headlessMirror({
        namespace: "h1",
        service: "db",
        hosts: ["pod-0", "pod-1"],
        version: "rv222",
        versions: { "pod-0": "rv333" },
      }),
      comes: {
        "h1/db-west": rootLine("2 pods"),
        "h1/pod-0-west": podLine("pod-0"),
        "h1/pod-1-west": podLine("pod-1"),
      },
      changes: { "h1/db-west": { endpoints: `none → pod-1@new (${both})` } },
    },
    then: {
      title: "a pod that is gone leaves the root, and its endpoint mirror goes",
      change: async ({ kube }) => {
        await create(kube.west, [statefulSet("h1/pod", "db", { ordinals: { start: 1 } })]);
        await patchEndpoints(kube.west, "h1/db", { subsets: pods(["pod-1"]) });
      },
      contents: headlessMirror({
        namespace: "h1",
        service: "db",
        hosts: ["pod-1"],
        version: "rv222",
        versions: { "pod-1": "an older one" },
      }),
      goes: { "h1/pod-0-west": podLine("pod-0") },
      changes: { "h1/db-west": { endpoints: `pod-0@(ClusterIP) (${both}) → none` } },
    },
  },
  {
    title:
      "an endpoint mirror that Linkerd's controller made is held against the whole of what it should be",
    namespace: "emptied",
    target: exportedHeadless("emptied/db", ["pod-0"], { labels: { lk: "lv" } }),
    source: items(
      "emptied",
      headlessMirror({ namespace: "emptied", service: "db", hosts: ["pod-0"] }),
    ),
    run: {
      contents: headlessMirror({
        namespace: "emptied",
        service: "db",
        labels: { lk: "lv" },
        hosts: ["pod-0"],
      }),
      comes: { "emptied/db-west": rootLine("1 pod"), "emptied/pod-0-west": podLine("pod-0") },
      changes: { "emptied/db-west": labelComes, "emptied/pod-0-west": confirmed },
    },
    then: {
      title:
        "all pods gone: the headless mirror stays, with empty Endpoints, and no endpoint mirror",
      change: async ({ kube }) => {
        await create(kube.west, [statefulSet("emptied/pod", "db", { replicas: 0 })]);
        await patchEndpoints(kube.west, "emptied/db", { subsets: [] });
      },
      contents: headlessMirror({
        namespace: "emptied",
        service: "db",
        labels: { lk: "lv" },
        hosts: [],
      }),
      goes: { "emptied/pod-0-west": podLine("pod-0") },
      changes: { "emptied/db-west": { endpoints: `pod-0@(ClusterIP) (${both}) → none` } },
    },
  },
  {
    title: "headless mirrors that Linkerd's controller made are taken over without a write",
    namespace: "h2-b",
    adopted: ["h2-b/db-west", "h2-b/pod-0-west", "h2-b/pod-1-west"],
    target: exportedHeadless("h2-b/db", ["pod-0", "pod-1"]),
    source: items("h2-b", h2Contents),
    run: {
      contents: h2Contents,
      comes: {
        "h2-b/db-west": rootLine("2 pods"),
        "h2-b/pod-0-west": podLine("pod-0"),
        "h2-b/pod-1-west": podLine("pod-1"),
      },
    },
    then: {
      title: "what happens to a Service of that name in another namespace does not matter",
      change: () => Promise.resolve(),
      contents: h2Contents,
    },
  },
  {
    title: "a Service of the same name and pods in another namespace has mirrors of its own",
    namespace: "h2-a",
    target: exportedHeadless("h2-a/db", ["pod-0"]),
    run: {
      contents: headlessMirror({ namespace: "h2-a", service: "db", hosts: ["pod-0"] }),
      comes: { "h2-a/db-west": rootLine("1 pod"), "h2-a/pod-0-west": podLine("pod-0") },
    },
    then: {
      title: "un-exporting it takes the mirrors of its pods along, all Endpoints included",
      change: ({ kube }) => relabel(kube.west, "h2-a/db", unexport),
      contents: nothing,
      goes: { "h2-a/db-west": rootLine("1 pod"), "h2-a/pod-0-west": podLine("pod-0") },
    },
  },
];
