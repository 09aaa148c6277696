import { deepEqual, doesNotMatch, match } from "node:assert/strict";
import { registryDocuments } from "../../../scripts/registry-docs.ts";
import { text } from "./pages.ts";

const pages = ["docs/_index.md", "docs/installation-configuration.md"] as const;

describe("the pages for Pulumi's registry", () => {
  const installed = (repository?: string) => {
    const page = "docs/installation-configuration.md";
    return registryDocuments("1.2.3", repository)[page](text(page));
  };

  it("send nobody to a package before a release", async () => {
    doesNotMatch(await installed(), /npm install|package add|npmjs/);
  });

  it("say how the released version is installed", async () => {
    const page = await installed("git+https://github.com/acme/mesh.git");
    match(page, /`npm install linkerd-multicluster@1\.2\.3`/);
    match(page, /`pulumi package add https:\/\/github\.com\/acme\/mesh\/plugin@1\.2\.3`/);
    doesNotMatch(page, /No version has been released/);
  });

  it("show a program of each language as `package add` is going to find it", async () => {
    const page = await registryDocuments("1.2.3", undefined)["docs/_index.md"](
      "<!-- npm run docs: programs --><!-- end of programs -->",
    );
    const blocks = [...page.matchAll(/choosable language (\w+) %}}\n\n```\1\n[^`]*Mesh/g)];
    const languages = ["typescript", "python", "go", "csharp", "java", "yaml"];
    deepEqual(
      blocks.map(([, language]) => language),
      languages,
    );
    doesNotMatch(page, /node_modules/);
  });

  // The registry moves the pages elsewhere, and its check of a new package refuses these.
  for (const page of pages)
    it(`${page} starts with its title, and has no link or image that is relative`, () => {
      match(text(page), /^---\ntitle: .+\nmeta_desc: .+\nlayout: package\n---\n/);
      doesNotMatch(text(page), /\]\((?!https:)|<(?:img|a)\b/);
    });
});
