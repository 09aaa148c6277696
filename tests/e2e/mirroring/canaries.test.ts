import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type Config,
  newStack,
  type RunOutcome,
  type PulumiStack,
  repository,
} from "../../bed/stack.ts";
import { encodings } from "../../unit/kubernetes/quoted-secrets.ts";
import { writeKubeconfig } from "../../unit/kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../../unit/trust/certificates.ts";
import { type Canaries, Search } from "../canaries.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";

const namespace = "canaries";
const v1 = "client.authentication.k8s.io/v1";
const loud = { LINKERD_MULTICLUSTER_LOG: "debug" };
const verbose = ["-v=9", "--logtostderr", "--logflow"];

const anchor = authority();
const issuer = issuerUnder(anchor);
const client = issuerUnder(anchor);

const made = {
  "a token": "canary-token/00f1+e2d3=c4b5a6f7e8d9",
  "a user's name and password": "canary-password/11f1+e2d3=c4b5a6f7e8d9",
  "an ID token": "canary-id-token/22f1+e2d3=c4b5a6f7e8d9",
  "a refresh token": "canary-refresh/33f1+e2d3=c4b5a6f7e8d9",
  "a client secret": "canary-client/44f1+e2d3=c4b5a6f7e8d9",
  "a plugin's variable": "canary-variable/55f1+e2d3=c4b5a6f7e8d9",
  "a plugin's argument": "canary-argument/66f1+e2d3=c4b5a6f7e8d9",
  "what a plugin prints": "canary-output/77f1+e2d3=c4b5a6f7e8d9",
  "a proxy's password": "canary-proxy-88f1-e2d3-c4b5a6f7e8d9",
  "a password in a server's address": "canary-server-99f1-e2d3-c4b5a6f7e8d9",
  "a broken kubeconfig": "canary-broken/aaf1+e2d3=c4b5a6f7e8d9",
  "a Helm value": "canary-value/bbf1+e2d3=c4b5a6f7e8d9",
  "an annotation": "canary-annotation/ccf1+e2d3=c4b5a6f7e8d9",
} as const;

/** Contexts that lead to the server that quotes what it is sent. */
const echoes = ["echo-200", "echo-400", "echo-401", "echo-403", "echo-basic"];

describe("state, output, files and processes contain no secret", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let echo: Server;
  let folder: string;
  let canaries: Canaries;
  let search: Search;
  let filesBefore: readonly string[];
  const outcomes: RunOutcome[] = [];

  before(async () => {
    echo = createServer(({ headers: { authorization = "" }, url = "" }, response) => {
      const reason = authorization.replace(/^\w+ /, "");
      const said = [authorization, reason];
      const message = said.flatMap((text) => encodings.map(([, encode]) => encode(text))).join(" ");
      const body = { kind: "Status", message, reason, details: { name: reason } };
      response.writeHead(Number(url.slice(1, 4)), { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    shared = await bedWithGateway(namespace);
    const { west } = shared.kube;
    const annotations = { "example.com/canary": made["an annotation"] };
    await create(west, exportedService(`${namespace}/web`, { annotations }));
    const { clusters } = shared.bed;
    canaries = {
      ...made,
      "west's token": clusters.west.access.token,
      "east's token": clusters.east.access.token,
      "an issuer's key": middle(issuer.keyPem),
      "a client's key": middle(client.keyPem),
    };
    search = new Search(canaries);
    filesBefore = await ownFiles();
    folder = join(shared.bed.folder, namespace);
    await mkdir(folder);
    await writeKubeconfigs();
    stack = await newStack(shared.bed, namespace, {});
  });
  after(async () => {
    echo.closeAllConnections();
    echo.close();
    await once(echo, "close");
  });

  it("while every kind of login works or fails, and servers quote what they are sent", async () => {
    await configure(["west", ...Object.keys(refused())]);
    const { text } = await runs(["up", "--yes", "--skip-preview", "--diff"], 1);
    for (const context of [...echoes, "basic", "file", "plugin"])
      assert.match(text, new RegExp(`cluster ${context}|context ${context}`), context);
    await searchAll();
  });

  it("while kubeconfigs are refused", async () => {
    await configure(["west", "address", "broken", "oidc", "url"]);
    const { text } = await runs(["preview", "--json"], 1);
    assert.match(text, /context address .* user name or password/);
    assert.match(text, /broken\.yaml is not valid/);
    assert.match(text, /auth-provider oidc is not supported/);
    await searchAll();
  });

  it("on success, and in what remains after destroy", async () => {
    await configure(["west"]);
    await runs(["up", "--yes", "--skip-preview", "--refresh", "--diff"], 0);
    await searchAll();
    await runs(["destroy", "--yes", "--skip-preview", "--diff"], 0);
    await searchAll();
  });

  it("in arguments and variables of processes, except an exec plugin's own", async () => {
    const seen = await readFile(join(folder, "seen"), "utf8");
    assert.match(seen, /pulumi/);
    const found = search.inText("processes", seen);
    assert.deepEqual(
      found.filter((each) => !/^a plugin's (variable|argument) /.test(each)),
      [],
    );
  });

  async function runs(words: readonly string[], code: number): Promise<RunOutcome> {
    const outcome = await stack.run([...words, ...verbose], { variables: loud });
    assert.equal(outcome.code, code, words.join(" ") + outcome.text.slice(-4_000));
    outcomes.push(outcome);
    return outcome;
  }

  /** All that was printed, all files of the engine, those beside the program, and what `export` shows. */
  async function searchAll(): Promise<void> {
    const { settings } = shared.bed;
    const home = settings["PULUMI_HOME"] ?? "";
    const state = (settings["PULUMI_BACKEND_URL"] ?? "").replace("file://", "");
    const files = await Promise.all(
      [home, state, join(shared.bed.folder, "tmp")].map((each) => search.inFolder(each)),
    );
    const exported = await stack.pulumi("stack", "export");
    const printed = outcomes.flatMap(({ words, text }) => inOutput(words.join(" "), text));
    assert.deepEqual([...printed, ...search.inText("export", exported), ...files.flat()], []);
    assert.deepEqual(await ownFiles(), filesBefore);
  }

  /** The engine's own log shows the stack config as it hands it to providers (SECURITY.md). */
  function inOutput(place: string, text: string): string[] {
    const lines = text.split("\n");
    const engine = lines.filter((line) => line.startsWith('{"time":'));
    const rest = lines.filter((line) => !line.startsWith('{"time":'));
    return [
      ...search.inText(place, rest.join("\n")),
      ...search
        .inText(`the engine's log of ${place}`, engine.join("\n"))
        .filter((found) => !/^(an issuer's key|a Helm value) /.test(found)),
    ];
  }

  /** A link from each of these targets, and secrets in the config. */
  async function configure(targets: readonly string[]): Promise<void> {
    const names = ["east", ...targets];
    const clusters = names.map((name) => [name, { kubeconfig: join(folder, `${name}.yaml`) }]);
    const links = targets.map((target) => ({ source: "east", target }));
    await stack.configure({
      manage: "mirrors",
      clusters: Object.fromEntries(clusters) as Config,
      links,
    });
    const issuers = names.map((name) => [name, { certificate: issuer.pem, key: issuer.keyPem }]);
    const trust = { anchors: anchor.pem, issuers: Object.fromEntries(issuers) as Config };
    const set = ["config", "set", "--secret"];
    await stack.pulumi(...set, "linkerd-multicluster:trust", JSON.stringify(trust));
    const value = "linkerd-multicluster:clusters.west.values.linkerd-control-plane.canary";
    await stack.pulumi(...set, "--path", value, made["a Helm value"]);
  }

  async function writeKubeconfigs(): Promise<void> {
    const { west, east } = shared.bed.clusters;
    await writeFile(join(folder, "token"), east.access.token);
    await writeFile(join(folder, "key.pem"), client.keyPem);
    await writeFile(join(folder, "plugin.mjs"), pluginScript(west.access.token));
    await writeFile(join(folder, "failing.mjs"), failing);
    const oidc = {
      "id-token": made["an ID token"],
      "refresh-token": made["a refresh token"],
      "client-secret": made["a client secret"],
    };
    const users: Readonly<Record<string, readonly [server: object, user: object]>> = {
      west: [serverOf(west.access), { exec: plugin(join(folder, "plugin.mjs")) }],
      east: [serverOf(east.access), { tokenFile: join(folder, "token") }],
      ...refused(),
      address: [
        { server: `https://me:${made["a password in a server's address"]}@127.0.0.1:1` },
        { token: made["a token"] },
      ],
      oidc: [serverOf(west.access), { "auth-provider": { name: "oidc", config: oidc } }],
      url: [{ server: made["a password in a server's address"] }, { token: made["a token"] }],
    };
    for (const [name, [cluster, user]] of Object.entries(users))
      await writeKubeconfig(join(folder, `${name}.yaml`), name, { cluster, user });
    await writeFile(join(folder, "broken.yaml"), `users: [{ token: ${made["a broken kubeconfig"]}`);
  }

  /** Clusters that do not let the runner in, or not out again without quoting it. */
  function refused(): Record<string, readonly [server: object, user: object]> {
    const server = serverOf(shared.bed.clusters.north.access);
    const token = made["a token"];
    const basic = { username: "canary", password: made["a user's name and password"] };
    const { port } = echo.address() as AddressInfo;
    const echoed = echoes.map((name) => {
      const code = /\d+/.exec(name)?.[0] ?? "401";
      const url = `http://127.0.0.1:${String(port)}/${code}`;
      const user = name === "echo-basic" ? basic : { token };
      return [name, [{ server: url, "insecure-skip-tls-verify": true }, user] as const] as const;
    });
    const certificate = { "client-certificate-data": btoa(client.pem) };
    const proxy = `http://me:${made["a proxy's password"]}@127.0.0.1:1`;
    return {
      ...Object.fromEntries(echoed),
      basic: [server, basic],
      data: [server, { ...certificate, "client-key-data": btoa(client.keyPem) }],
      garbage: [server, { ...certificate, "client-key-data": btoa(made["a token"]) }],
      file: [server, { ...certificate, "client-key": join(folder, "key.pem") }],
      plugin: [server, { exec: plugin(join(folder, "failing.mjs")) }],
      proxied: [{ ...server, "proxy-url": proxy }, { token }],
    };
  }

  /** Gives the token, and writes down what can be seen of all processes while it runs. */
  function pluginScript(token: string): string {
    const status = { token };
    return `
      import { appendFileSync, readdirSync, readFileSync } from "node:fs";
      for (const id of readdirSync("/proc").filter((name) => /^\\d+$/.test(name)))
        try {
          appendFileSync(${JSON.stringify(join(folder, "seen"))}, readFileSync("/proc/" + id + "/cmdline"));
        } catch {}
      appendFileSync(${JSON.stringify(join(folder, "seen"))}, JSON.stringify(process.env));
      console.error(${JSON.stringify(made["what a plugin prints"])});
      console.log(${JSON.stringify(JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status }))});
    `;
  }
});

const failing = `
  console.log(${JSON.stringify(made["what a plugin prints"])});
  console.error(${JSON.stringify(made["what a plugin prints"])});
  process.exit(1);
`;

function plugin(...args: readonly string[]) {
  const env = [{ name: "CANARY", value: made["a plugin's variable"] }];
  return {
    apiVersion: v1,
    interactiveMode: "Never",
    command: process.execPath,
    env,
    args: [...args, made["a plugin's argument"]],
  };
}

function serverOf({ server, authority }: { readonly server: string; readonly authority: string }) {
  return { server, "certificate-authority-data": btoa(authority) };
}

/** The part of a PEM block that no other has, without what all keys of a kind begin with. */
function middle(pem: string): string {
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, "").slice(48, -12);
}

/** Files of the program, but for those that tools keep for themselves. */
async function ownFiles(): Promise<string[]> {
  const names = await readdir(repository);
  const folders = names.filter((name) => !["node_modules", ".git"].includes(name));
  const files = await Promise.all(
    folders.map(async (name) =>
      (await readdir(join(repository, name), { recursive: true }).catch(() => [])).map((each) =>
        join(name, each),
      ),
    ),
  );
  return [...names, ...files.flat()].sort();
}
