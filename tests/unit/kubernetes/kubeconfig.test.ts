import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { registerKubeconfigs, nameOfGiven } from "../../../engine/kubernetes/kubeconfig/given.ts";
import {
  type ClusterAccess,
  KubeconfigError,
  KubeconfigPending,
  readKubeconfig,
} from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { forEachTest, writeKubeconfig } from "./scripted-cluster.ts";

const entries = (server: string) => ({ cluster: { server }, user: { token: "canary" } });
const read = (
  access: ClusterAccess,
  home = "/nowhere",
  variables: Readonly<Record<string, string>> = {},
) => readKubeconfig(access, "west", { variables, home });

async function problem(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.catch((reason: unknown) => reason);
  ok(error instanceof KubeconfigError, `not a KubeconfigError: ${String(error)}`);
  doesNotMatch(error.message, /canary/);
  return error.message;
}

describe("a kubeconfig", () => {
  const { folder } = forEachTest();

  it("is the given file, where ~ is the home directory, or else ~/.kube/config", async () => {
    const home = await folder();
    await mkdir(path.join(home, ".kube"));
    await writeKubeconfig(path.join(home, "own"), "a", entries("https://own"));
    await writeKubeconfig(path.join(home, ".kube", "config"), "a", entries("https://default"));
    const variables = { KUBECONFIG: "/nowhere" };
    const own = await read({ context: "a", kubeconfig: "~/own" }, home, variables);
    equal(own.cluster.server, "https://own");
    equal((await read({ context: "a" }, home)).cluster.server, "https://default");
  });

  it("is read again once its file has changed", async () => {
    const kubeconfig = path.join(await folder(), "config");
    const server = async () => (await read({ context: "a", kubeconfig })).cluster.server;
    await writeKubeconfig(kubeconfig, "a", entries("https://before"));
    equal(await server(), "https://before");
    await writeKubeconfig(kubeconfig, "a", entries("https://after"));
    equal(await server(), "https://after");
  });

  it("is merged from the files of KUBECONFIG: the first to name an entry wins", async () => {
    const home = await folder();
    const one = await writeKubeconfig(path.join(home, "1"), "a", entries("https://first"));
    const two = await writeKubeconfig(path.join(home, "2"), "a", entries("https://second"));
    const three = await writeKubeconfig(path.join(home, "3"), "b", entries("https://third"));
    const files = [one, path.join(home, "missing"), "", two, three];
    const variables = { KUBECONFIG: files.join(path.delimiter) };
    equal((await read({ context: "a" }, home, variables)).cluster.server, "https://first");
    const { cluster, user } = await read({ context: "b" }, home, variables);
    deepEqual([cluster.server, user.token], ["https://third", "canary"]);
    equal(
      await problem(read({ context: "c" }, home, variables)),
      `cluster west: no context c in ${files.filter(Boolean).join(", ")}; the contexts there are a, b`,
    );
  });

  it("may have a path that is relative to another folder than this process's", async () => {
    const home = await folder();
    await writeKubeconfig(path.join(home, "1"), "a", entries("https://first"));
    const variables = { KUBECONFIG: ["missing", "1"].join(path.delimiter) };
    for (const kubeconfig of ["1", "./1", path.join(home, "1"), undefined]) {
      const access = { context: "a", folder: home, ...(kubeconfig && { kubeconfig }) };
      equal((await read(access, "/nowhere", variables)).cluster.server, "https://first");
    }
  });

  it("comes from the service account in a pod without a file", async () => {
    const variables = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const { cluster, user } = await read({ context: "in-cluster" }, "/nowhere", variables);
    deepEqual(
      [cluster.server, cluster["certificate-authority"], user],
      ["https://[fd00::1]:6443", `${account}/ca.crt`, { tokenFile: `${account}/token` }],
    );
  });

  it("is reported with the file's name if the file is missing", async () => {
    equal(
      await problem(read({ context: "a", kubeconfig: "/nowhere/none" })),
      "cluster west: there is no kubeconfig at /nowhere/none to read context a from",
    );
    equal(
      await problem(read({ context: "a", kubeconfig: "./none", folder: "/nowhere" })),
      "cluster west: there is no kubeconfig at /nowhere/none (a relative path starts in the folder of Pulumi.yaml) to read context a from",
    );
    // Outside of a pod, this context is like any other.
    match(await problem(read({ context: "in-cluster" })), / no kubeconfig at \/nowhere\/\.kube/);
  });

  const a = { name: "a", cluster: { server: "https://a" } };
  const context = { name: "a", context: { cluster: "a", user: "u" } };
  const contexts = [context];
  const broken: Readonly<Record<string, object>> = {
    "no context a in FILE; it has none": {},
    "context a refers to cluster a, for which FILE has no valid entry": { contexts },
    "context a refers to user u, for which FILE has no valid entry": { contexts, clusters: [a] },
  };
  for (const [why, config] of Object.entries(broken))
    it(`is refused if ${why}`, async () => {
      const file = path.join(await folder(), "config");
      await writeFile(file, JSON.stringify(config));
      const said = await problem(read({ context: "a", kubeconfig: file }));
      equal(said.replace(file, "FILE"), `cluster west: ${why}`);
    });

  it("may have broken entries of other clusters", async () => {
    const file = path.join(await folder(), "config");
    const clusters = [a, { name: "b", cluster: {} }, { name: "c" }];
    const users = [{ name: "u", user: {} }, { user: {} }];
    const others = { contexts: [context, { name: "b" }, null], clusters, users };
    await writeFile(file, JSON.stringify(others));
    equal((await read({ context: "a", kubeconfig: file })).cluster.server, "https://a");
  });

  it("is reported without its content if it can't be read or parsed", async () => {
    const home = await folder();
    equal(
      await problem(read({ context: "a", kubeconfig: home })),
      `cluster west: kubeconfig ${home} can't be read (EISDIR)`,
    );
    const file = path.join(home, "config");
    for (const text of ["users: [{user: {token: canary\n  x: {{", "canary", "- canary"]) {
      await writeFile(file, text);
      match(
        await problem(read({ context: "a", kubeconfig: file })),
        /is not valid; kubectl config/,
      );
    }
  });
});

describe("a kubeconfig from a program", () => {
  const one = { name: "one", context: { cluster: "one", user: "me" } };
  const whole = {
    "current-context": "two",
    contexts: [one, { ...one, name: "two", context: { cluster: "two", user: "me" } }],
    clusters: ["one", "two"].map((name) => ({ name, cluster: { server: `https://${name}.test` } })),
    users: [{ name: "me", user: {} }],
  };
  let count = 0;
  const given = (content: unknown, context?: string) => {
    const name = nameOfGiven("mesh", `west-${count++}`);
    if (content !== undefined) registerKubeconfigs({ [name]: JSON.stringify(content) });
    return read({ context: context ?? name, kubeconfig: name });
  };

  it("is used with its current context, or the named one", async () => {
    equal((await given(whole)).cluster.server, "https://two.test");
    equal((await given(whole, "one")).cluster.server, "https://one.test");
  });

  const { "current-context": _, ...contextless } = whole;
  const relative = { ...whole, users: [{ name: "me", user: { tokenFile: "token" } }] };

  it("is refused if it lacks the context, or has paths relative to no file", async () => {
    match(await problem(given(contextless)), /no current-context: set it, or set/);
    match(
      await problem(given(whole, "three")),
      /no context three in input:mesh\/west-\d+; the con/,
    );
    match(await problem(given([])), /its kubeconfig input:mesh\/west-\d+ is not valid/);
    match(await problem(given(relative)), /relative path in .*tokenFile.*: embed the file/);
  });

  it("is pending before it is known", () => rejects(given(undefined), KubeconfigPending));
});
