import { code, markdownTable, withTables } from "./docs-tables.ts";
import { type Role, roles } from "./rights.ts";

type Rule = Role["rules"][number];
type Kind = Rule[2][number];

/** Each function replaces the runner's rights in the text of its file. */
export const accessDocuments: Readonly<Record<string, (text: string) => Promise<string>>> = {
  "docs/reference/access.md": withTables("rights", (manifests) => table(manifests.split(" "))),
  ...Object.fromEntries(
    roles.map(({ manifest }) => [
      `examples/rbac/${manifest}`,
      (text: string) => Promise.resolve(withRules(text, manifest)),
    ]),
  ),
};

function table(manifests: readonly string[]): string {
  const rows = roles
    .filter(({ manifest }) => manifests.includes(manifest))
    .flatMap(({ manifest, namespace, rules }) =>
      rules.map(([cluster, verbs, kinds, why]) => [
        cluster,
        kinds.map(cellOf).join(", ") + (namespace === undefined ? "" : ` in \`${namespace}\``),
        code(verbs.split(" ")),
        code([manifest]),
        why,
      ]),
    );
  return markdownTable([["cluster", "resources", "verbs", "manifest", "for"], ...rows]);
}

function cellOf(kind: Kind): string {
  const { plural, names = [] } = kind;
  const group = groupOf(kind);
  const [resource = "", ...subresource] = plural.split("/");
  const name = code([[group === "" ? resource : `${resource}.${group}`, ...subresource].join("/")]);
  return names.length === 0 ? name : `${name} named ${code(names)}`;
}

/** Replaces the rules of each role in a manifest, which stand at the end of its document. */
function withRules(text: string, manifest: string): string {
  const own = roles.filter((role) => role.manifest === manifest);
  return own.reduce((before, { name, namespace, rules }) => {
    const place = namespace === undefined ? "" : `  namespace: ${namespace}\n`;
    const head = `Role\nmetadata:\n  name: ${name}\n${place}rules:\n`;
    const [start, end] = [
      before.indexOf(head) + head.length,
      before.indexOf("---", before.indexOf(head)),
    ];
    if (!before.includes(head) || end < 0) throw new Error(`${manifest} has no role ${name}`);
    return before.slice(0, start) + rules.map(ruleText).join("") + before.slice(end);
  }, text);
}

function ruleText([cluster, verbs, kinds, why]: Rule): string {
  const where = cluster === "both" ? "" : `In ${cluster}s. `;
  const groups = Map.groupBy(kinds, (kind) => groupOf(kind));
  const rules = [...groups].map(([group, all]) => {
    const names = [...new Set(all.flatMap(({ names = [] }) => names))];
    return [
      `  - apiGroups: [${group || '""'}]`,
      `    resources: [${all.map(({ plural }) => plural).join(", ")}]`,
      ...(names.length === 0 ? [] : [`    resourceNames: [${names.join(", ")}]`]),
      `    verbs: [${verbs.split(" ").join(", ")}]`,
    ];
  });
  return [`  # ${where}${why}`, ...rules.flat()].map((line) => `${line}\n`).join("");
}

function groupOf({ apiVersion }: Kind): string {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? "" : group;
}
