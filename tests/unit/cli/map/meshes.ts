import { type Picture, pictureOf } from "../../../../cli/map/picture.ts";
import { factsOf, link, mirror } from "../made-facts.ts";

interface Shape {
  readonly clusters: number;
  readonly mirrors: number;
  readonly links: "all" | "hub";
  readonly preview?: boolean;
  /** Replaces names and sentences. */
  readonly called?: (words: string) => string;
}

const results = ["ok", "ok", "ok", "ok", "warning", "ok", "ok", "error", "skipped"] as const;

/** Returns the picture of a mesh with one of every problem. */
export function meshOf(shape: Shape): Picture {
  const { clusters, mirrors, links, preview = false, called = (words: string) => words } = shape;
  const all = ["west", "east", "north"].map(called);
  for (let index = all.length; index < clusters; index++) all.push(`cluster-${index}`);
  const names = all.slice(0, clusters);
  const pairs = names.flatMap((source, one) =>
    names.flatMap((target, other) => {
      const isLinked = links === "all" || one === 0 || (other === 0 && one % 3 === 0);
      return one !== other && isLinked ? [{ source, target }] : [];
    }),
  );
  const ofLink = Math.ceil(mirrors / pairs.length);
  const check = (kind: "cluster" | "link", name: string, index: number, problem: string) => {
    const result = results[index % results.length] ?? "ok";
    const isBad = result === "warning" || result === "error";
    const findings = isBad ? [{ severity: result, sentence: called(problem) }] : [];
    const hint = "https://linkerd.io/2/checks/";
    return { kind, name, checks: [{ id: "check", title: "a check", result, hint, findings }] };
  };
  const facts = factsOf({
    stack: called("prod"),
    readAt: "2026-11-22T22:30:00Z",
    clusters: names.map((name) => ({
      name,
      context: name,
      reachable: true,
      linkerd: called("edge-26.10.2"),
      anchors: [{ name: "root", fingerprint: "ab", expiresAt: "2027-10-29T00:00:00Z" }],
    })),
    links: pairs.map(({ source, target }, index) =>
      index % 4 === 3
        ? link(source, target, { mode: "flat" })
        : link(source, target, {
            gateway: { state: "alive", addresses: [called("192.0.2.1")], port: 4143 },
          }),
    ),
    mirrors: [
      ...pairs.flatMap(({ source, target }) =>
        Array.from({ length: ofLink }, (_, number) =>
          mirror(source, target, called(`team-${number % 17}/service-${number}-${target}`), {
            ...(number % 40 === 3 && { verdict: "create" }),
            ...(number % 40 === 5 && { verdict: "update", fields: [called("ports: 80 → 81")] }),
            ...(number % 40 === 7 && { verdict: "delete" }),
            ...(number % 40 === 9 && { undecided: "the target can't be read" }),
          }),
        ),
      ),
      mirror(names[0] ?? "", "federated", called("shop/cart-federated"), {
        kind: "federated",
        members: names.slice(1, 4).map((name) => `cart@${name}`),
      }),
    ],
    notMirrored: pairs.flatMap(({ source, target }, index) =>
      Array.from({ length: index % 3 }, (_, each) => ({
        source,
        // A Service that can't be federated is listed with the link to its cluster.
        ...(each === 0 ? { part: target } : { part: "federated", cluster: target }),
        service: called(`payments/ledger-${each}`),
        reason: "MissingNamespace",
        sentence: called(`${source} has no namespace payments: create it there`),
      })),
    ),
    next: [{ source: "east", writes: true, lines: [], refusals: ["8 of 10 mirrors would go"] }],
    health: {
      version: 1,
      healthy: false,
      counts: { ok: 1, warning: 1, error: 1, skipped: 1 },
      groups: [
        ...names.map((name, index) => check("cluster", name, index, "a pod has no anchors")),
        ...pairs.map(({ source, target }, index) =>
          check("link", `${source}/${target}`, index, `the gateway of ${target} is down`),
        ),
      ],
    },
  });
  return pictureOf(facts, preview);
}

const hostileNames = [
  "</script><script>globalThis.hacked = 1</script>",
  "<img src=x onerror='globalThis.hacked = 1'>",
  '"><svg onload="globalThis.hacked = 1">',
  "<!--<script>",
  "]]>&lt;b&gt;\u2028\u2029`${globalThis.hacked = 1}`",
  "javascript:globalThis.hacked=1",
  '\\N"]; evil -> "x',
] as const;

/** Returns names, each different, that would be something else as markup or script. */
export function renaming(names: readonly string[] = hostileNames): (words: string) => string {
  let number = 0;
  return () => `${names[number % names.length] ?? ""}${number++}`;
}
