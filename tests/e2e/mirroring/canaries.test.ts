import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Config,
  newStack,
  type RunOutcome,
  type PulumiStack,
  repository,
} from "../../bed/stack.ts";
import { issuerUnder } from "../../unit/trust/certificates.ts";
import { middleOf, Search } from "../canaries.ts";
import { anchor, client, made, startEcho, writeLogins } from "../canary-logins.ts";
import { exportedService } from "./objects.ts";
import { bedWithGateway, create, type SharedBed } from "./shared-bed.ts";

const namespace = "canaries";
const loud = { LINKERD_MULTICLUSTER_LOG: "debug" };
const verbose = ["-v=9", "--logtostderr", "--logflow"];

const issuer = issuerUnder(anchor);

describe("state, output, files and processes contain no secret", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let folder: string;
  let refused: readonly string[];
  let search: Search;
  let filesBefore: readonly string[];
  const outcomes: RunOutcome[] = [];

  before(async () => {
    echo = await startEcho();
    shared = await bedWithGateway(namespace);
    const { west } = shared.kube;
    const annotations = { "example.com/canary": made["an annotation"] };
    await create(west, exportedService(`${namespace}/web`, { annotations }));
    const { clusters } = shared.bed;
    search = new Search({
      ...made,
      "west's token": clusters.west.access.token,
      "east's token": clusters.east.access.token,
      "an issuer's key": middleOf(issuer.keyPem),
      "a client's key": middleOf(client.keyPem),
    });
    filesBefore = await ownFiles();
    folder = join(shared.bed.folder, namespace);
    await mkdir(folder);
    refused = await writeLogins(shared.bed, folder, echo.url);
    stack = await newStack(shared.bed, namespace, {});
  });
  after(() => echo.stop());

  it("while every kind of login works or fails, and servers quote what they are sent", async () => {
    await configure(["west", ...refused]);
    const { text } = await runs(["up", "--yes", "--skip-preview", "--diff"], 1);
    const named = refused.filter((name) => /^echo|^basic$|^file$|^plugin$/.test(name));
    for (const context of named)
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

  it("while secrets of another mode are refused", async () => {
    await configure(["west"]);
    const issuers = ["east", "west"].map((name) => [
      name,
      { certificate: issuer.pem, key: issuer.keyPem },
    ]);
    const trust = { anchors: anchor.pem, issuers: Object.fromEntries(issuers) as Config };
    const set = ["config", "set", "--secret"];
    await stack.pulumi(...set, "linkerd-multicluster:trust", JSON.stringify(trust));
    const value = "linkerd-multicluster:clusters.west.values.linkerd-control-plane.canary";
    await stack.pulumi(...set, "--path", value, made["a Helm value"]);
    const { text } = await runs(["preview", "--diff"], 1);
    assert.match(text, /trust\.anchors is set; it must be left out/);
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

  /**
   * Searches everything that was printed, the engine's files, and the output of `export`. Runs must leave no file
   * next to the program.
   */
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

  /** Sets a link from each of these targets. */
  async function configure(targets: readonly string[]): Promise<void> {
    const names = ["east", ...targets];
    const clusters = names.map((name) => [name, { kubeconfig: join(folder, `${name}.yaml`) }]);
    const links = targets.map((target) => ({ source: "east", target }));
    await stack.configure({
      manage: "mirrors",
      clusters: Object.fromEntries(clusters) as Config,
      links,
    });
  }
});

async function ownFiles(): Promise<string[]> {
  const names = await readdir(repository);
  const own = names.filter((name) => !["node_modules", ".git"].includes(name));
  const inside = own.map((name) =>
    readdir(join(repository, name), { recursive: true }).catch(() => []),
  );
  return [...own, ...(await Promise.all(inside)).flat()].sort();
}
