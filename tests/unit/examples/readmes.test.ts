import { deepEqual, match, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configOf, examples, filesIn, folder, text } from "./files.ts";

/** Targets of links that lead to files, from the folder of the README. */
function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)#]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !target.startsWith("https://"));
}

function commandsIn(markdown: string): string {
  return [...markdown.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block).join("\n");
}

describe("examples: READMEs", () => {
  it("the index leads to every example and to what they share", () => {
    const links = linksIn(text("README.md"));
    deepEqual(links, [...examples.map((example) => `${example}/README.md`), "k3d.sh"]);
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
        const known = [...configOf(example).clusters.values()].map(({ access }) => access.context);
        deepEqual([...new Set(used)].sort(), known.sort());
        // No command goes to whichever cluster happens to be current.
        deepEqual(commands.match(/^kubectl (?!--context )/gm), null);
      });

      it("creates and removes the stack of the stack file", () => {
        match(commands, new RegExp(`^pulumi stack init ${example}$`, "m"));
        match(markdown, new RegExp(`pulumi stack rm --force ${example}\``));
        match(commands, /^pulumi destroy --remove$/m);
      });

      it("says what has not been tried", () => {
        match(markdown, /Validated, not run, in this repository's tests/);
      });
    });
  }

  it("statefulset asks for pods in the domain of the cluster that asks", () => {
    const domain = configOf("statefulset").clusters.get("east")?.clusterDomain ?? "";
    const asked = [...text("statefulset/README.md").matchAll(/\.svc\.([\w.]+)/g)];
    deepEqual([...new Set(asked.map(([, suffix]) => suffix))], [domain]);
  });
});
