import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { ensureTools } from "../../../testbed/tools.ts";

const servers = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"];
const engine = ["pulumi", "pulumi-language-nodejs"];

/**
 * A `go` that makes an empty file of each program, and needs a word before it makes CoreDNS. The packages that it is
 * asked for lie in folders of their name.
 */
const GO = `#!/bin/sh
case "$*" in
  "list -m "*) echo v1.2.3 ;;
  "list -find "*)
    shift 4
    for package; do
      mkdir -p "$GO_HERE/$package" && touch "$GO_HERE/$package/large.go"
      echo "$GO_HERE/$package"
    done ;;
  *)
    for word; do
      case "$before" in -o) folder=$word ;; esac
      before=$word
      case "$word" in
        *coredns) until [ -e "$GO_HERE/go-on" ]; do sleep 0.02; done ;;
      esac
      case "$word" in
        ./*|*/cmd/*) echo "$(basename "$word")" >> "$GO_HERE/built"; touch "$folder/$(basename "$word")" ;;
      esac
    done ;;
esac
`;

describe("the programs of the test bed", () => {
  const before = { ...process.env };
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tools-"));
    await install("go", GO);
    Object.assign(process.env, {
      ...{ GO_HERE: folder, XDG_CACHE_HOME: join(folder, "cache"), KUBEBUILDER_ASSETS: "" },
      PATH: [join(folder, "bin"), "/usr/bin", "/bin"].join(delimiter),
    });
  });
  afterEach(async () => {
    for (const name of ["GO_HERE", "XDG_CACHE_HOME", "KUBEBUILDER_ASSETS", "PATH"]) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
    await rm(folder, { recursive: true });
  });

  it("are there before CoreDNS is, which the first command needs last", async () => {
    const { coredns, ...programs } = await ensureTools(() => undefined);
    assert.deepEqual(Object.keys(programs), [...servers, ...engine]);
    for (const path of Object.values(programs)) assert.ok(existsSync(path), path);
    assert.deepEqual(await built(), [...servers, ...engine]);
    await writeFile(join(folder, "go-on"), "");
    assert.ok(existsSync(await coredns));
    assert.ok(!existsSync(join(dirname(dirname(await coredns)), "building")), "Go's caches stay");
  });

  it("are not built where the machine has them, whichever it is", async () => {
    for (const name of [...servers, ...engine, "coredns"]) await install(name, "");
    const { coredns, ...programs } = await ensureTools();
    for (const path of [...Object.values(programs), await coredns])
      assert.equal(dirname(path), join(folder, "bin"));
  });

  it("are named with the time that they will take, before they take it", async () => {
    await writeFile(join(folder, "go-on"), "");
    for (const name of servers.slice(1)) await install(name, "");
    const said: string[] = [];
    await (
      await ensureTools((text) => said.push(text))
    ).coredns;
    assert.match(said[0] ?? "", /: etcd, pulumi, pulumi-language-nodejs, and coredns\. .* minutes/);
    assert.deepEqual(await built(), ["etcd", ...engine, "coredns"]);
  });

  it("are compiled without the packages that they import and the bed never uses", async () => {
    await writeFile(join(folder, "go-on"), "");
    await (
      await ensureTools(() => undefined)
    ).coredns;
    const leftOut = join(folder, "github.com/aws/aws-sdk-go-v2/service/s3");
    assert.ok(!existsSync(join(leftOut, "large.go")));
    assert.match(await readFile(join(leftOut, "left-out.go"), "utf8"), /^\s*package s3\s/);
  });

  const built = async () => (await readFile(join(folder, "built"), "utf8")).trim().split("\n");

  async function install(name: string, script: string): Promise<void> {
    await mkdir(join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "bin", name), script);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
