import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { htmlOf } from "../../../../tool/map/html.ts";
import { layoutOf } from "../../../../tool/map/layout.ts";
import { hostileNames, meshOf, renamed } from "./meshes.ts";

const mesh = meshOf({ clusters: 3, mirrors: 30, links: "all", preview: true });

describe("the page of map", () => {
  it("allows its own script and style by their hashes, and nothing else", async () => {
    const html = htmlOf(mesh, await layoutOf(mesh));
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    assert.equal(
      policy.replaceAll(/'sha256-[^']*'/g, "HASH"),
      "default-src 'none'; script-src HASH; style-src HASH; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    for (const part of [/<script type="module">([^]*?)<\/script>/, /<style>([^]*?)<\/style>/]) {
      const text = part.exec(html)?.[1] ?? "";
      const hash = createHash("sha256").update(text).digest("base64");
      assert.ok(policy.includes(`'sha256-${hash}'`));
    }
  });

  it("carries the whole picture in one element that no name can end", async () => {
    const hostile = renamed(mesh, hostileNames);
    const html = htmlOf(hostile, await layoutOf(hostile));
    assert.equal(html.match(/<\/script/gi)?.length, 2);
    assert.equal(html.match(/<(?:img|svg|b)\b/gi)?.length, 1);
    const data = /id="data">([^]*?)<\/script>/.exec(html)?.[1] ?? "";
    assert.deepEqual(JSON.parse(data), hostile);
    assert.doesNotMatch(data, /[<>&\u2028\u2029]/);
  });

  it("has no more than 3 MB for 10,000 mirrors, within 5 seconds", async () => {
    for (const clusters of [20, 100]) {
      const large = meshOf({ clusters, mirrors: 10_000, links: "hub", preview: true });
      const start = performance.now();
      const html = htmlOf(large, clusters > 20 ? undefined : await layoutOf(large));
      assert.ok(performance.now() - start < 5_000);
      assert.ok(Buffer.byteLength(html) < 3_000_000, `${Buffer.byteLength(html)} bytes`);
    }
  });
});
