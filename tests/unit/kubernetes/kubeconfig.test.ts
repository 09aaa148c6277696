import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type ClusterAccess,
  KubeconfigError,
  readKubeconfig,
} from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "./scripted-cluster.ts";

const https = (server: string) => ({ cluster: { server }, user: { token: "canary" } });

describe("a kubeconfig", () => {
  const read = (
    access: ClusterAccess,
    home: string,
    variables: Readonly<Record<string, string>> = {},
  ) => readKubeconfig(access, "west", { variables, home });

  const problem = async (reading: Promise<unknown>): Promise<string> => {
    const error: unknown = await reading.catch((reason: unknown) => reason);
    assert(error instanceof KubeconfigError, `not a KubeconfigError: ${String(error)}`);
    assert.equal(error.cluster, "west");
    return error.message;
  };

  it("is the given file, with ~ for the home directory, and else ~/.kube/config", () =>
    withFolder(async (home) => {
      await mkdir(path.join(home, ".kube"));
      await writeKubeconfig(path.join(home, "own"), "a", https("https://own"));
      await writeKubeconfig(path.join(home, ".kube", "config"), "a", https("https://default"));
      const variables = { KUBECONFIG: "/nowhere" };
      const own = await read({ context: "a", kubeconfig: "~/own" }, home, variables);
      assert.equal(own.cluster.server, "https://own");
      assert.equal((await read({ context: "a" }, home)).cluster.server, "https://default");
    }));

  it("is merged from the files of KUBECONFIG: the first to name an entry wins", () =>
    withFolder(async (home) => {
      const one = await writeKubeconfig(path.join(home, "1"), "a", https("https://first"));
      const two = await writeKubeconfig(path.join(home, "2"), "a", https("https://second"));
      const three = await writeKubeconfig(path.join(home, "3"), "b", https("https://third"));
      const files = [one, path.join(home, "missing"), "", two, three];
      const variables = { KUBECONFIG: files.join(path.delimiter) };
      const a = await read({ context: "a" }, home, variables);
      assert.equal(a.cluster.server, "https://first");
      const b = await read({ context: "b" }, home, variables);
      assert.equal(b.cluster.server, "https://third");
      assert.equal(b.user.token, "canary");
      assert.equal(
        await problem(read({ context: "c" }, home, variables)),
        `cluster west: no context c in ${files.filter(Boolean).join(", ")}; the contexts there are a, b`,
      );
    }));

  it("is, in a pod without kubeconfig, that of its service account", async () => {
    const variables = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const { cluster, user } = await read({ context: "in-cluster" }, "/nowhere", variables);
    assert.equal(cluster.server, "https://[fd00::1]:6443");
    assert.equal(cluster.caFile, `${account}/ca.crt`);
    assert.deepEqual(user, { tokenFile: `${account}/token` });
  });

  it("that is missing is a mistake that names the file", () =>
    withFolder(async (home) => {
      const file = path.join(home, "none");
      for (const [context, kubeconfig, named] of [
        ["a", file, file],
        ["in-cluster", undefined, `${home}/.kube/config`],
      ] as const)
        assert.equal(
          await problem(read({ context, ...(kubeconfig && { kubeconfig }) }, home)),
          `cluster west: there is no kubeconfig at ${named} to read context ${context} from`,
        );
    }));

  const a = { name: "a", cluster: { server: "https://a" } };
  const context = { name: "a", context: { cluster: "a", user: "u" } };
  const broken: readonly (readonly [object, string])[] = [
    [{}, "no context a in FILE; it has none"],
    [{ contexts: [context] }, "context a refers to cluster a, for which FILE has no valid entry"],
    [
      { contexts: [context], clusters: [a] },
      "context a refers to user u, for which FILE has no valid entry",
    ],
    [
      { contexts: [context], clusters: [a, a] },
      "context a refers to cluster a, which is there twice in FILE; remove or rename one of them",
    ],
    [
      { contexts: [context, context], clusters: [a] },
      "context a is there twice in FILE; remove or rename one of them",
    ],
  ];
  for (const [config, why] of broken)
    it(`is refused where ${why}`, () =>
      withFolder(async (home) => {
        const file = path.join(home, "config");
        await writeFile(file, JSON.stringify(config));
        const said = await problem(read({ context: "a", kubeconfig: file }, home));
        assert.equal(said.replace(file, "FILE"), `cluster west: ${why}`);
      }));

  it("may have broken entries of other clusters", () =>
    withFolder(async (home) => {
      const file = path.join(home, "config");
      const others = { users: [{ user: {} }], contexts: [context, { name: "b" }, null] };
      const clusters = [a, { name: "b", cluster: {} }, { name: "c" }, { name: "c" }];
      const users = [{ name: "u", user: {} }, ...others.users];
      await writeFile(file, JSON.stringify({ ...others, clusters, users }));
      const config = await read({ context: "a", kubeconfig: file }, home);
      assert.equal(config.cluster.server, "https://a");
    }));

  it("that can't be read or parsed is a mistake, told without quoting it", () =>
    withFolder(async (home) => {
      assert.equal(
        await problem(read({ context: "a", kubeconfig: home }, home)),
        `cluster west: kubeconfig ${home} can't be read (EISDIR)`,
      );
      const file = path.join(home, "config");
      for (const text of ["users: [{user: {token: canary\n  x: {{", "canary", "- canary"]) {
        await writeFile(file, text);
        const said = await problem(read({ context: "a", kubeconfig: file }, home));
        assert.doesNotMatch(said, /canary/);
      }
    }));
});
