import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withTables } from "./docs-tables.ts";

const examples = join(import.meta.dirname, "../examples/languages");

/** The programs that the registry's page shows, by the language's name there. */
const programs: Readonly<Record<string, string>> = {
  typescript: "typescript/index.ts",
  python: "python/__main__.py",
  go: "go/main.go",
  csharp: "csharp/Program.cs",
  java: "java/src/main/java/mesh/App.java",
  yaml: "yaml/Pulumi.yaml",
};

/** Each function writes the examples, or how a release is installed, into a page that Pulumi's registry reads from a release's tag. */
export function registryDocuments(version: string, repository: string | undefined) {
  return {
    "docs/_index.md": withTables("programs", choosablePrograms),
    "docs/installation-configuration.md": withTables("installation", () =>
      installation(version, repository),
    ),
  };
}

/** Pulumi's site shows the part of the language that its reader has chosen. */
function choosablePrograms(): string {
  const parts = Object.entries(programs).map(([language, file]) => {
    // `pulumi package add` writes the package's address itself.
    const program = readFileSync(join(examples, file), "utf8").replace(/^packages:\n( .*\n)+/m, "");
    return [
      `{{% choosable language ${language} %}}`,
      `\`\`\`${language}\n${program}\`\`\``,
      "{{% /choosable %}}",
    ].join("\n\n");
  });
  const languages = Object.keys(programs).join(",");
  return [`{{< chooser language "${languages}" >}}`, ...parts, "{{< /chooser >}}"].join("\n\n");
}

/** @param repository what a release has written into package.json */
function installation(version: string, repository: string | undefined): string {
  const address = /^git\+(https:.+)\.git$/.exec(repository ?? "")?.[1];
  // Anybody could register the package's name until its first release does.
  if (address === undefined)
    return "No version has been released yet, and no registry has the package: build it from its repository (`docs/guides/package.md`).";
  return [
    "- JavaScript and TypeScript: the npm package",
    `  [\`linkerd-multicluster\`](https://www.npmjs.com/package/linkerd-multicluster), with \`npm install linkerd-multicluster@${version}\``,
    "- Every language: an SDK that Pulumi's CLI generates, with",
    `  \`pulumi package add ${address}/plugin@${version}\``,
  ].join("\n");
}
