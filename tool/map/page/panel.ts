import { changesOf, counted, type FindingPicture, healthWords, linkLine } from "../picture.ts";
import type { FederatedPicture, HealthPicture, LinkPicture, Picture } from "../picture.ts";
import type { Appearances } from "./appearances.ts";
import { element } from "./elements.ts";
import { rowOf } from "./search.ts";
import { table } from "./table.ts";

/** What the panel shows: a heading, and what is below it. */
export interface Panel {
  readonly title: string;
  readonly content: readonly HTMLElement[];
}

/** The mesh at a glance, and every Service of it. */
export function overview(picture: Picture, services: ReadonlyMap<string, Appearances>): Panel {
  const { clusters, links, federated, preview, lastRun } = picture;
  const mirrors = links.flatMap((link) => link.mirrors);
  const missing = links.reduce((sum, link) => sum + link.notMirrored.length, 0);
  const changes = changesOf([...mirrors, ...federated]);
  const rows = [...services.values()].map(({ service, mirrored, notMirrored, united }) =>
    rowOf(
      [
        service,
        few(mirrored.map(({ link }) => link.source)),
        few(notMirrored.map(({ link }) => link.source)),
        few(united.map(({ cluster }) => cluster)),
      ],
      { href: serviceHref(service) },
    ),
  );
  return {
    title: "Overview",
    content: [
      facts([
        ["Clusters", counted(clusters.length, "cluster")],
        ["Links", counted(links.length, "link")],
        [
          "Mirrors",
          `${counted(mirrors.length, "mirror")}, ${missing.toLocaleString("en")} not mirrored`,
        ],
        ...(federated.length === 0
          ? []
          : ([["Federated", counted(federated.length, "Service")]] as const)),
        ["Last run", lastRun],
        ...(preview
          ? ([["Next up", changes === "" ? "changes no mirror" : changes]] as const)
          : []),
      ]),
      ...findings([
        ...clusters.flatMap((each) => each.findings.map((found) => ({ ...found, at: each.name }))),
        ...links.flatMap((each) =>
          each.findings.map((found) => ({ ...found, at: `${each.source} to ${each.target}` })),
        ),
      ]),
      heading("Services"),
      table("Services", ["Service", "Mirrored in", "Not in", "Federated in"], rows),
    ],
  };
}

export function linkPanel(link: LinkPicture): Panel {
  const { source, target, kind, mirroring, gateway, mirrors, notMirrored, health } = link;
  return {
    title: `${source} to ${target}`,
    content: [
      badge(health),
      facts([
        [
          "Mirrors",
          `of ${target}, in ${source}, by ${mirroring === "pulumi" ? "this stack" : "Linkerd's controller"}`,
        ],
        ["Way", kind === "flat" ? "flat network, pod to pod" : (gateway ?? "by gateway")],
      ]),
      ...findings(link.findings),
      heading(counted(mirrors.length, "mirror")),
      table(
        "mirrors",
        ["Mirror", "Service", "Kind and ports", "State"],
        mirrors.map((mirror) =>
          rowOf([mirror.name, mirror.service, `${mirror.kind}, ${mirror.ports}`, stateOf(mirror)], {
            href: serviceHref(mirror.service),
            look: mirror.next ?? "",
          }),
        ),
      ),
      ...notMirroredTable(notMirrored),
    ],
  };
}

export function clusterPanel(picture: Picture, index: number): Panel | undefined {
  const cluster = picture.clusters[index];
  if (cluster === undefined) return undefined;
  const { name, health, linkerd, anchors } = cluster;
  const mine = picture.links.map((link, position) => ({ link, position }));
  const linked = mine.filter(({ link }) => link.source === name || link.target === name);
  const united = picture.federated.filter((each) => each.cluster === name);
  return {
    title: name,
    content: [
      badge(health),
      facts([
        ...(linkerd === undefined ? [] : ([["Linkerd", linkerd]] as const)),
        ...anchors.map(
          (anchor) =>
            ["Trust anchor", `${anchor.name}, ${counted(anchor.days, "day")} left`] as const,
        ),
      ]),
      ...findings(cluster.findings),
      heading("Links"),
      list(
        linked.map(({ link, position }) =>
          element("a", { href: `#link/${position}` }, linkLine(link)),
        ),
      ),
      ...(united.length === 0 ? [] : [heading("Federated Services"), unionTable(united)]),
    ],
  };
}

export function servicePanel({ service, mirrored, notMirrored, united }: Appearances): Panel {
  return {
    title: service,
    content: [
      heading("Mirrored"),
      list(
        mirrored.map(({ link, mirror }) =>
          element(
            "span",
            {},
            `${link.target} to ${link.source} as `,
            element("b", {}, mirror.name),
            `: ${mirror.kind}, ${mirror.ports}, ${stateOf(mirror)}`,
          ),
        ),
      ),
      ...(notMirrored.length === 0
        ? []
        : [
            heading("Not mirrored"),
            list(
              notMirrored.map(({ link, why }) =>
                element(
                  "span",
                  {},
                  `${why.pod === undefined ? "" : `pod ${why.pod} `}of ${link.target} in ${link.source}: `,
                  element("b", {}, why.reason),
                  `, ${why.sentence}`,
                ),
              ),
            ),
          ]),
      ...(united.length === 0 ? [] : [heading("Member of federated Services"), unionTable(united)]),
    ],
  };
}

function unionTable(united: readonly FederatedPicture[]): HTMLElement {
  return table(
    "federated Services",
    ["Service", "In", "Members", "Ports", "State"],
    united.map((each) =>
      rowOf(
        [
          each.name,
          each.cluster,
          each.members.map((member) => member.cluster).join(", "),
          each.ports,
          stateOf(each),
        ],
        { look: each.next ?? "" },
      ),
    ),
  );
}

function notMirroredTable(all: LinkPicture["notMirrored"]): HTMLElement[] {
  if (all.length === 0) return [];
  const rows = all.map(({ service, pod, reason, sentence }) =>
    rowOf([pod === undefined ? service : `${service} pod ${pod}`, reason, sentence], {
      href: serviceHref(service),
    }),
  );
  return [
    heading(`${all.length.toLocaleString("en")} not mirrored`),
    table("Services that are not mirrored", ["Service", "Reason", "Why, and what to do"], rows),
  ];
}

/** `update, now differs (ports: 80/TCP → 81/TCP)`. */
function stateOf({
  state,
  next,
  changes = [],
}: Pick<FederatedPicture, "state" | "next" | "changes">): string {
  const then = next === undefined ? state : `${next}, now ${state}`;
  return changes.length === 0 ? then : `${then} (${changes.join("; ")})`;
}

/** How many findings are listed at once; each cluster and each link has all of its own. */
const mostFindings = 25;

function findings(all: readonly (FindingPicture & { readonly at?: string })[]): HTMLElement[] {
  if (all.length === 0) return [];
  const errorsFirst = [...all].sort((one, other) => one.severity.localeCompare(other.severity));
  return [
    heading(counted(all.length, "finding")),
    list(
      errorsFirst
        .slice(0, mostFindings)
        .map(({ severity, check, sentence, hint, at }) =>
          element(
            "span",
            {},
            badge(severity),
            element("b", {}, at === undefined ? ` ${check}: ` : ` ${at}: ${check}: `),
            sentence,
            ...(hint === undefined
              ? []
              : [" ", element("a", { href: hint, rel: "noreferrer" }, "what to do")]),
          ),
        ),
    ),
    ...(all.length > mostFindings
      ? [
          element(
            "p",
            { class: "faint" },
            `and ${counted(all.length - mostFindings, "more finding")}`,
          ),
        ]
      : []),
  ];
}

function badge(health: HealthPicture): HTMLElement {
  return element("span", { class: `badge ${health}` }, healthWords[health]);
}

function heading(text: string): HTMLElement {
  return element("h3", {}, text);
}

function list(items: readonly HTMLElement[]): HTMLElement {
  return items.length === 0
    ? element("p", { class: "faint" }, "none")
    : element("ul", {}, ...items.map((item) => element("li", {}, item)));
}

function facts(all: readonly (readonly [name: string, value: string])[]): HTMLElement {
  const pairs = all.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return element("dl", {}, ...pairs);
}

/** `east, west`, or how many there are. */
function few(clusters: readonly string[]): string {
  const different = [...new Set(clusters)];
  return different.length > 3 ? counted(different.length, "cluster") : different.join(", ");
}

function serviceHref(service: string): string {
  return `#service/${encodeURIComponent(service)}`;
}
