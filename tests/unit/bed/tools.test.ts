import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ensureTools } from "../../bed/tools.ts";

const servers = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];
const others = ["pulumi", "coredns", "pulumi-language-nodejs"];

/** A `go` that makes an empty file of each program. The packages that it is asked for lie in folders of their name. */
const GO = `#!/bin/sh
case "$*" in
  "list -m -f {{.Version}} "*) echo v1.2.3 ;;
  "list -deps "*) echo xxx ;;
  "mod download "*)
    sed -n 's/^-- \\(.*\\) --$/\\1/p' */left-out.txtar | sed 's,/[^/]*\\.go$,,' | while read -r package; do
      mkdir -p "$GO_HERE/$package" && touch "$GO_HERE/$package/large.go" "$GO_HERE/$package/testing.go"
    done ;;
  "list -m "*)
    shift 4
    for module; do echo "$GO_HERE/$module"; done ;;
  *)
    for word; do
      case "$before" in -o) folder=$word ;; esac
      before=$word
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
      GO_HERE: folder,
      XDG_CACHE_HOME: join(folder, "cache"),
      BED_OFFLINE: "1",
      KUBEBUILDER_ASSETS: "",
      PATH: [join(folder, "bin"), "/usr/bin", "/bin"].join(delimiter),
    });
  });
  afterEach(async () => {
    for (const name of ["BED_OFFLINE", "GO_HERE", "XDG_CACHE_HOME", "KUBEBUILDER_ASSETS", "PATH"]) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
    await rm(folder, { recursive: true });
  });

  it("are built once, by one process, without Go's caches and packages that the bed never uses", async () => {
    await install("kwok", "");
    const said: string[] = [];
    const report = (text: string) => said.push(text);
    const [programs] = await Promise.all([ensureTools(report), ensureTools(report)]);
    assert.equal(said.filter((text) => text.startsWith("waiting for programs")).length, 1);
    assert.deepEqual(Object.keys(programs), [...servers, "kwok", ...others]);
    for (const path of Object.values(programs)) assert.ok(existsSync(path), path);
    assert.deepEqual(await ensureTools(), programs);
    // The machine has kwok.
    assert.equal(dirname(programs.kwok), join(folder, "bin"));
    assert.deepEqual((await built()).sort(), [...servers, ...others].sort());
    assert.ok(!existsSync(join(dirname(dirname(programs.etcd)), "building")), "Go's caches stay");
    const leftOut = join(folder, "github.com/aws/aws-sdk-go-v2/service/s3");
    assert.ok(!existsSync(join(leftOut, "large.go")));
    assert.match(await readFile(join(leftOut, "left-out.go"), "utf8"), /^\s*package s3\s/);
    const proxy = join(folder, "go.etcd.io/etcd/server/v3/etcdmain");
    assert.ok(existsSync(join(proxy, "large.go")), "more than the file that is named is left out");
    assert.match(await readFile(join(proxy, "grpc_proxy.go"), "utf8"), /^\s*package etcdmain\s/);
  });

  it("say what Go says when a build fails", async () => {
    await install(
      "go",
      GO.replace("  *)\n", '  "build "*) echo "it is broken" >&2; exit 1 ;;\n  *)\n'),
    );
    await assert.rejects(
      ensureTools(() => undefined),
      /Building .* failed: go build in .*tools.* says:\nit is broken/,
    );
  });

  const built = async () => (await readFile(join(folder, "built"), "utf8")).trim().split("\n");

  async function install(name: string, script: string): Promise<void> {
    await mkdir(join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "bin", name), script);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
