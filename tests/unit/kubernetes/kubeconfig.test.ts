import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type ClusterAccess,
  KubeconfigError,
  readKubeconfig,
} from "../../../engine/kubernetes/kubeconfig.ts";
import { withFolder, writeKubeconfig } from "./scripted-cluster.ts";

const https = (server: string) => ({ cluster: { server }, user: { token: "canary" } });

describe("a kubeconfig", () => {
  const read = (
    access: ClusterAccess,
    home: string,
    variables: Readonly<Record<string, string>> = {},
  ) => readKubeconfig(access, "west", { variables, home });

  const problem = async (reading: Promise<unknown>): Promise<string> => {
    const error: unknown = await reading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert(error instanceof KubeconfigError, `not an KubeconfigError: ${String(error)}`);
    assert.equal(error.cluster, "west");
    return error.message;
  };

  it("is the given file, with ~ for the home directory", () =>
    withFolder(async (home) => {
      await writeKubeconfig(path.join(home, "own"), "a", https("https://own"));
      const config = await read({ context: "a", kubeconfig: "~/own" }, home, {
        KUBECONFIG: "/nowhere",
      });
      assert.equal(config.cluster.server, "https://own");
    }));

  it("is ~/.kube/config by default", () =>
    withFolder(async (home) => {
      await mkdir(path.join(home, ".kube"));
      await writeKubeconfig(path.join(home, ".kube", "config"), "a", https("https://default"));
      const config = await read({ context: "a" }, home);
      assert.equal(config.cluster.server, "https://default");
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
    }));

  it("names files relative to itself", () =>
    withFolder(async (home) => {
      const file = await writeKubeconfig(path.join(home, "config"), "a", {
        cluster: { server: "https://a", "certificate-authority": "ca.pem" },
        user: {},
      });
      const config = await read({ context: "a", kubeconfig: file }, home);
      assert.equal(config.cluster.caFile, path.join(home, "ca.pem"));
    }));

  it("may have broken entries of other clusters", () =>
    withFolder(async (home) => {
      const file = path.join(home, "config");
      await writeFile(
        file,
        `{clusters: [{name: a, cluster: {server: "https://a"}}, {name: b, cluster: {}}],
          users: [{user: {token: x}}], contexts: [{name: a, context: {cluster: a}}, {name: b, context: {cluster: b}}]}`,
      );
      const config = await read({ context: "a", kubeconfig: file }, home);
      assert.equal(config.cluster.server, "https://a");
      assert.equal(
        await problem(read({ context: "b", kubeconfig: file }, home)),
        `cluster west: context b refers to cluster b, for which ${file} has no valid entry`,
      );
    }));

  it("that is missing is a mistake that names the file", () =>
    withFolder(async (home) => {
      const file = path.join(home, "none");
      assert.equal(
        await problem(read({ context: "a", kubeconfig: file }, home)),
        `cluster west: there is no kubeconfig at ${file} to read context a from`,
      );
      assert.equal(
        await problem(read({ context: "a" }, home)),
        `cluster west: there is no kubeconfig at ${home}/.kube/config to read context a from`,
      );
      assert.match(await problem(read({ context: "in-cluster" }, home)), /there is no kubeconfig/);
    }));

  it("without the context is a mistake that names those there are", () =>
    withFolder(async (home) => {
      const one = await writeKubeconfig(path.join(home, "1"), "k3d-west", https("https://a"));
      const two = await writeKubeconfig(path.join(home, "2"), "k3d-east", https("https://b"));
      const variables = { KUBECONFIG: `${one}${path.delimiter}${two}` };
      assert.equal(
        await problem(read({ context: "k3d-wets" }, home, variables)),
        `cluster west: no context k3d-wets in ${one}, ${two}; the contexts there are k3d-east, k3d-west`,
      );
      await writeFile(one, "");
      assert.equal(
        await problem(read({ context: "a", kubeconfig: one }, home)),
        `cluster west: no context a in ${one}; it has none`,
      );
    }));

  it("whose context leads to no user is a mistake", () =>
    withFolder(async (home) => {
      const file = path.join(home, "config");
      await writeFile(
        file,
        `{clusters: [{name: a, cluster: {server: "https://a"}}], contexts: [{name: a, context: {cluster: a, user: u}}]}`,
      );
      assert.equal(
        await problem(read({ context: "a", kubeconfig: file }, home)),
        `cluster west: context a refers to user u, for which ${file} has no valid entry`,
      );
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
        assert.doesNotMatch(
          await problem(read({ context: "a", kubeconfig: file }, home)),
          /canary/,
        );
      }
    }));

  it("with a server of plain http is refused unless that is said to be meant", () =>
    withFolder(async (home) => {
      const file = await writeKubeconfig(path.join(home, "config"), "a", https("http://a"));
      assert.match(
        await problem(read({ context: "a", kubeconfig: file }, home)),
        /is plain http, .* set insecure-skip-tls-verify: true/,
      );
      await writeKubeconfig(file, "a", https("a.example:6443"));
      assert.match(
        await problem(read({ context: "a", kubeconfig: file }, home)),
        /is not an https URL/,
      );
    }));
});
