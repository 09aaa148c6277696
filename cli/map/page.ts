import { createHash } from "node:crypto";
import { backendsOf, gatewayText } from "../facts/facts.ts";
import { mostLinks } from "./graph.ts";
import { Markup, markup } from "./markup.ts";
import {
  changesOf,
  type ClusterPicture,
  type FindingPicture,
  type Health,
  linkLine,
  type LinkPicture,
  type MirrorPicture,
  type Picture,
  stateNow,
} from "./picture.ts";
import { unknownChanges } from "../facts/facts.ts";
import { count, inDigits } from "@linkerd-multicluster/engine/base";

/** All links together have no more rows, so that a browser can open the page of any mesh. */
const mostRows = 10_000;
const mostFindings = 100;
const mostFederated = 1_000;

/** The page has no scripts and loads nothing. Its tables have everything that is in the picture. */
export function pageOf(picture: Picture, svg: Markup, css: string): string {
  const { stack, readAt, preview, clusters, links, federated } = picture;
  const hash = createHash("sha256").update(css).digest("base64");
  const policy = `default-src 'none'; script-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const mirrors = links.flatMap((link) => link.mirrors);
  const skipped = links.reduce((sum, link) => sum + link.notMirrored.length, 0);
  const perLink = Math.max(20, Math.floor(mostRows / links.length));
  const changes = [changesOf([...mirrors, ...federated]), unknownChanges(links) ?? ""];
  const tooMany = `${count(links.length, "link")} are too many for a picture: it shows up to ${mostLinks} links with findings.`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mesh of ${stack}</title>
<style>${new Markup(css)}</style>
</head>
<body>
<header>
<h1>Mesh of ${stack}</h1>
<dl>
<dt>Read</dt><dd>${readAt}</dd>
${preview ? markup`<dt>Next up</dt><dd>${changes.filter(Boolean).join("; ") || "changes no mirror"}</dd>` : ""}
<dt>Mirrors</dt><dd>${count(mirrors.length, "mirror")}, ${skipped} not mirrored</dd>
</dl>
</header>
<main>
<section id="picture" aria-labelledby="picture-title">
<h2 id="picture-title">Picture</h2>
<p>Arrows point from the source of each link to its target, in the direction of requests. Dashed arrows: flat network. The tables below have the same content.</p>
${links.length > mostLinks ? markup`<p>${tooMany}</p>` : ""}
<div class="scroll" role="region" aria-label="Picture, scrolls" tabindex="0">${svg}</div>
</section>
<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
${findingsTable(clusters, links)}
</section>
<section aria-labelledby="clusters">
<h2 id="clusters">Clusters</h2>
${table(count(clusters.length, "cluster"), ["Cluster", "State", "Linkerd", "Trust anchors"], clusters.map(clusterRow))}
</section>
<section aria-labelledby="links">
<h2 id="links">Links</h2>
${links.map((link, index) => linkDetails(link, index, perLink))}
</section>
<section aria-labelledby="federated">
<h2 id="federated">Federated Services</h2>
${table(
  count(federated.length, "federated Service"),
  ["Service", "Cluster", "Members", "Ports", "State"],
  federated.map((each) => {
    const members = backendsOf(each).map(({ cluster }) => cluster);
    return row(each.mirror, each.source, members.join(", "), each.ports, stateOf(each));
  }),
  mostFederated,
)}
</section>
</main>
</body>
</html>
`.text;
}

function findingsTable(clusters: readonly ClusterPicture[], links: readonly LinkPicture[]): Markup {
  const all = [
    ...clusters.flatMap(({ name, findings }) => findings.map((found) => ({ found, where: name }))),
    ...links.flatMap(({ source, target, findings }) =>
      findings.map((found) => ({ found, where: `${source} → ${target}` })),
    ),
  ];
  const errorsFirst = all.sort((one, other) =>
    one.found.severity.localeCompare(other.found.severity),
  );
  return table(
    count(all.length, "finding"),
    ["Where", "Severity", "Check", "Finding"],
    errorsFirst.map(({ found, where }) =>
      row(
        where,
        mark(found.severity === "error" ? "failed" : "degraded", found.severity),
        found.check,
        [found.sentence, hintOf(found)],
      ),
    ),
    mostFindings,
  );
}

function hintOf({ hint = "" }: FindingPicture): Markup | string {
  if (!hint.startsWith("https://")) return "";
  return markup`<a href="${hint}" rel="noreferrer">Linkerd’s documentation</a>`;
}

function clusterRow({ name, health, linkerd = "", days }: ClusterPicture, index: number): Markup {
  const left = days === undefined ? "" : `${count(days, "day")} left`;
  return row(markup`<span id="cluster-${index}">${name}</span>`, mark(health), linkerd, left);
}

/** The anchor is inside the details, so that browsers open them for a click on an arrow. */
function linkDetails(link: LinkPicture, index: number, mostRows: number): Markup {
  const { source, target, mode, mirroring, gateway, health, mirrors, notMirrored } = link;
  const isOk = (mirror: MirrorPicture) => stateNow(mirror) === "ok";
  const changedFirst = mirrors.toSorted((one, other) => Number(isOk(one)) - Number(isOk(other)));
  const why = gateway?.why === undefined ? "" : `: ${gateway.why}`;
  const network =
    mode === "flat"
      ? "Flat network, pod to pod"
      : `Gateway: ${gateway === undefined ? "not read" : gatewayText(gateway)}${why}`;
  return markup`<details>
<summary>${mark(health)} ${linkLine(link)}</summary>
<div id="link-${index}">
<p>Mirrors of ${target} in ${source}, written by ${mirroring === "controller" ? "Linkerd’s controller" : "this stack"}. ${network}.</p>
${table(
  `${count(mirrors.length, "mirror")} of ${target} in ${source}`,
  ["Mirror", "Service", "Kind", "Ports", "State"],
  changedFirst.map((each) =>
    row(each.mirror, each.service ?? "", each.kind, each.ports, stateOf(each)),
  ),
  mostRows,
)}
${
  notMirrored.length === 0
    ? ""
    : table(
        `${notMirrored.length} not mirrored, of ${target} in ${source}`,
        ["Service", "Pod", "Reason", "Explanation"],
        notMirrored.map((each) => row(each.service, each.pod ?? "all", each.reason, each.sentence)),
        mostRows,
      )
}
</div>
</details>`;
}

/** Returns for example `update, now differs (ports: 80/TCP → 81/TCP)`. */
function stateOf(mirror: MirrorPicture): string {
  const { next, fields = [] } = mirror;
  const now = stateNow(mirror);
  if (next === undefined) return now;
  return `${next}, now ${now}${fields.length === 0 ? "" : ` (${fields.join("; ")})`}`;
}

/** Shows the state as a word and a shape, so that no meaning depends on color alone. */
function mark(health: Health, word: string = health): Markup {
  return markup`<span class="mark ${health}">${word}</span>`;
}

function row(head: Markup | string, ...cells: readonly unknown[]): Markup {
  return markup`<tr><th scope="row">${head}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
}

function table(
  caption: string,
  heads: readonly string[],
  rows: readonly Markup[],
  most = rows.length,
): Markup {
  if (rows.length === 0) return markup`<p>None.</p>`;
  const more = rows.length - most;
  return markup`<table>
<caption>${caption}</caption>
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.slice(0, most)}
</tbody>
</table>
${more <= 0 ? "" : markup`<p>… and ${inDigits(more)} more: <code>status --output json</code> has all.</p>`}`;
}
