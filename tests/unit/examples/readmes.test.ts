import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  commandsIn,
  configOf,
  configsAlong,
  examples,
  filesIn,
  folder,
  sourcesLast,
  text,
} from "./files.ts";

/** Targets of links that lead to files, from the folder of the README. */
function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)#]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !target.startsWith("https://"));
}

describe("examples: READMEs", () => {
  it("the index leads to every example and to what they share", () => {
    const links = linksIn(text("README.md"));
    deepEqual(links, [
      ...examples.map((example) => `${example}/README.md`),
      "../docs/reference/linkerd-cli.md",
      "k3d.sh",
      ...[
        "regions/Pulumi.regions.yaml",
        "regions/manifests/web.yaml",
        "../docs/guides/flat-networks.md",
      ],
      "mesh.yaml",
      ...["operator", "watch", "ci"].map((example) => `${example}/README.md`),
      "../docs/guides/between-runs.md",
      "rbac/preview.yaml",
    ]);
    match(text("README.md"), /\*\*Validated, not run, in this repository's tests:\*\*/);
  });

  for (const example of examples) {
    describe(example, () => {
      const markdown = text(`${example}/README.md`);
      const commands = commandsIn(markdown);

      it("names every file of the example, and no other", () => {
        const own = filesIn(example).filter((path) => path !== "README.md");
        deepEqual(linksIn(markdown).sort(), ["../README.md", ...own].sort());
      });

      it("has commands for files that exist", () => {
        const paths = [...commands.matchAll(/examples\/[\w./-]+/g)].map(([path]) => path);
        ok(paths.length > 0);
        for (const path of paths) ok(existsSync(join(folder, "..", path)), path);
      });

      it("uses every manifest and every script", () => {
        const unused = filesIn(example).filter(
          (path) => path !== "README.md" && !commands.includes(`examples/${example}/${path}`),
        );
        deepEqual(unused, example === "federated" ? ["routes.sh"] : []);
      });

      it("speaks to the clusters of the stack file", () => {
        const used = [...commands.matchAll(/kubectl --context (\S+)/g)].map(([, name]) => name);
        const { config } = configsAlong(example).at(-1) ?? { config: configOf(example) };
        const known = [...config.clusters.values()].map(({ access }) => access.context);
        deepEqual([...new Set(used)].sort(), known.sort());
        // No command goes to whichever cluster happens to be current.
        deepEqual(commands.match(/^kubectl (?!--context )/gm), null);
      });

      it("creates and removes the stack of the stack file", () => {
        match(commands, new RegExp(`^pulumi stack init ${example}$`, "m"));
        match(markdown, new RegExp(`pulumi stack rm --force ${example}\``));
        match(commands, /^pulumi destroy --remove$/m);
      });

      it("checks the mesh before the first export and at the end", () => {
        const check = `npm run check -- --stack ${example}\n`;
        const first = commands.indexOf(check);
        ok(first > commands.indexOf("pulumi up\n") && first < commands.indexOf(" label service "));
        ok(commands.lastIndexOf(check) > commands.lastIndexOf("pulumi up\n", commands.length - 1));
      });

      it("says for which k3d it is meant, as the scripts do", () => {
        const [, oldest = "?"] = /^OLDEST_K3D=(.+)$/m.exec(text("k3d.sh")) ?? [];
        ok(markdown.includes(`- [k3d](https://k3d.io) ${oldest} or later\n`));
        ok(text("README.md").includes(`k3d ${oldest} to `));
      });

      it("says what has not been tried", () => {
        match(markdown, /Validated, not run, in this repository's tests/);
      });
    });
  }

  it("statefulset asks for Services in the domain of the cluster that asks", () => {
    const { clusters } = configOf("statefulset");
    const asked = [
      ...commandsIn(text("statefulset/README.md")).matchAll(
        /^kubectl --context k3d-(\w+) exec .+\.svc\.([\w.]+)$/gm,
      ),
    ];
    deepEqual([...new Set(asked.map(([, name]) => name))].sort(), ["east", "west"]);
    for (const [, name = "", domain] of asked) equal(domain, clusters.get(name)?.clusterDomain);
  });

  it("statefulset: the Service has pods with names, then none, then names again", () => {
    deepEqual(
      configsAlong("statefulset").map(({ config }) => config.links.map((one) => one.spec.headless)),
      [[false], [true]],
    );
  });

  it("federated: a fourth cluster is linked from west, then all are with all", () => {
    const [fourth, mesh] = configsAlong("federated")
      .slice(-2)
      .map(({ config }) => config);
    const ends = (config = configOf("federated")) =>
      config.links.map(({ spec: { source, target } }) => `${source}/${target}`);
    deepEqual(ends(fourth), ["west/east", "west/north", "west/south"]);
    equal(fourth?.clusters.get("south")?.apiServer, "https://k3d-south-server-0:6443");
    equal(ends(mesh).length, 12);
    ok(mesh?.links.every(({ spec: { gateway } }) => gateway === false));
    deepEqual(sourcesLast(configOf("federated")), ["east", "north", "west"]);
  });
});
