import { changesOf, clusterLine, linkLine, type Picture } from "../picture.ts";
import { element } from "./elements.ts";

/**
 * Every link in the cell of its source and target: where there are many clusters, it reads better
 * than lines that cross.
 */
export function matrix({ clusters, links }: Picture): HTMLElement {
  const byEnds = new Map(links.map((link, index) => [`${link.source}\n${link.target}`, index]));
  const heads = clusters.map(({ name }, index) =>
    element(
      "th",
      { scope: "col" },
      element("a", { href: `#cluster/${index}`, tabindex: "-1", title: name }, name),
    ),
  );
  const rows = clusters.map((cluster, index) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row", class: `mark ${cluster.health}` },
        element("a", { href: `#cluster/${index}`, title: clusterLine(cluster) }, cluster.name),
      ),
      ...clusters.map(({ name }) => {
        const position = byEnds.get(`${cluster.name}\n${name}`);
        const link = position === undefined ? undefined : links[position];
        if (link === undefined)
          return element("td", name === cluster.name ? { class: "self" } : {});
        const changing = changesOf(link.mirrors) === "" ? "" : " changing";
        const line = linkLine(link);
        const count = clusters.length > 24 ? "" : link.mirrors.length.toLocaleString("en");
        const anchor = element(
          "a",
          { href: `#link/${position}`, title: line, "aria-label": line },
          count,
        );
        return element("td", { class: `mark ${link.health} ${link.kind}${changing}` }, anchor);
      }),
    ),
  );
  const size = clusters.length > 24 ? "small" : "large";
  return element(
    "table",
    {
      class: `matrix ${size}`,
      "aria-label": "Links, from the cluster of the row to that of the column",
    },
    element(
      "thead",
      {},
      element("tr", {}, element("td", { class: "corner" }, "from ↓ to →"), ...heads),
    ),
    element("tbody", {}, ...rows),
  );
}
