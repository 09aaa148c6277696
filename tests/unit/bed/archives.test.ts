import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";
import { archiveFor, fetchedTo, fetchPrograms } from "../../bed/archives.ts";

const programs = { etcd: "of/etcd", "kube-apiserver": "of/kube-apiserver" };

describe("an archive of programs for the test bed", () => {
  let folder: string;
  let content: Buffer;
  let server: Server;
  let answer: RequestListener;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "archives-"));
    await mkdir(join(folder, "of"));
    for (const path of Object.values(programs)) await writeFile(join(folder, path), path);
    const file = join(folder, "published.tar.gz");
    await execa("tar", ["-czf", file, "-C", folder, "of"]);
    content = await readFile(file);
    server = createServer((...exchange) => {
      answer(...exchange);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  it("is fetched, and nothing but its programs stays", async () => {
    answer = ({ url }, response) => {
      if (url === "/moved") response.writeHead(302, { location: "/" }).end();
      else response.end(content);
    };
    const { fetched, said, archive } = await fetch("/moved");
    ok(fetched, said);
    equal(await readFile(fetchedTo(cache(), archive, "etcd"), "utf8"), "of/etcd");
    equal((await readdir(cache())).length, 2);
  });

  const refused: Record<string, { answers: RequestListener; says: RegExp }> = {
    "another file than the published one": {
      answers: (_, response) => response.end("<html>Sign in to the proxy</html>"),
      says: /not the file that was published/,
    },
    "an error": {
      answers: (_, response) => response.writeHead(503).end(),
      says: /HTTP 503/,
    },
    "no answer": { answers: () => undefined, says: /timeout/i },
    "an answer that stops halfway": {
      answers: (_, response) => response.writeHead(200).write("half"),
      says: /timeout/i,
    },
    "the end of the connection": { answers: ({ socket }) => socket.destroy(), says: /closed/ },
  };
  for (const [what, { answers, says }] of Object.entries(refused)) {
    it(`leaves its programs to the build after ${what}`, async () => {
      answer = answers;
      const { fetched, said } = await fetch("/");
      ok(!fetched);
      match(said, says);
      match(said, /building instead/);
      deepEqual(await readdir(cache()), []);
    });
  }

  const cache = () => join(folder, "cache");

  async function fetch(path: string) {
    const { port } = server.address() as AddressInfo;
    const sha512 = createHash("sha512").update(content).digest("hex");
    const archive = { url: `http://127.0.0.1:${port}${path}`, sha512, programs };
    await mkdir(cache());
    let said = "";
    const names = Object.keys(programs);
    const fetched = await fetchPrograms(archive, names, cache(), (text) => (said += text), 100);
    return { fetched, said, archive };
  }
});

it("archives: the pinned one has the minor version of what is built", async () => {
  const pinned = /k8s\.io\/kubernetes (v\d+\.\d+\.)/.exec(
    await readFile("tests/bed/tools/go.mod", "utf8"),
  )?.[1];
  ok(pinned !== undefined);
  for (const arch of ["x64", "arm64"]) {
    const { url = "", sha512 = "" } = archiveFor("linux", arch) ?? {};
    ok(url.includes(`envtest-${pinned}`));
    match(sha512, /^[0-9a-f]{128}$/);
  }
});
