/** Makes Linkerd's images of its own programs, which no registry of packages has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { UserError } from "@linkerd-multicluster/engine/base";
import { isFile, notOnPath, programOnPath } from "../path.ts";
import { cacheFolder } from "../tools.ts";
import { debianRoot } from "./debian.ts";
import type { FileIn, Image } from "./images.ts";

const programs = [
  ...["linkerd2-proxy", "proxy-identity", "linkerd2-proxy-init"],
  ...["controller", "linkerd-policy-controller"],
] as const;

/**
 * Returns the reasons why this machine can't make these images.
 *
 * @param folder has the programs, which are on PATH by default
 */
export async function lackingForLinkerd(folder?: string): Promise<readonly string[]> {
  if (folder === undefined) return notOnPath(programs);
  const found = await Promise.all(programs.map((name) => isFile(join(folder, name))));
  return programs
    .filter((_, index) => found[index] !== true)
    .map((name) => `no ${name} in ${folder}`);
}

/**
 * The charts ask for these images.
 *
 * @param folder has the programs, which are on PATH by default
 */
export async function linkerdImages(charts: string, folder?: string): Promise<readonly Image[]> {
  const version = await linkerdVersionOf(charts);
  const { proxyInit } = (await fileOf(charts, "values.yaml")) as Values;
  const debian = await debianRoot(await cacheFolder());
  const iptables = join(debian, "usr/sbin/xtables-nft-multi");
  const capabilities = "cap_net_raw,cap_net_admin+eip";
  const own = (name: (typeof programs)[number]) => locate(name, folder);
  const image = (
    name: string,
    entrypoint: string,
    files: Readonly<Record<string, FileIn>>,
    tag = version,
  ): Image => ({
    names: [`cr.l5d.io/linkerd/${name}:${tag}`],
    files,
    config: {
      User: "65534",
      Env: [`LINKERD_CONTAINER_VERSION_OVERRIDE=${version}`, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      Entrypoint: [entrypoint],
    },
  });
  const inside = "usr/lib/linkerd";
  // The init container has no other rights.
  const init = {
    [`${inside}/linkerd2-proxy-init`]: { from: await own("linkerd2-proxy-init"), capabilities },
    "usr/sbin/xtables-nft-multi": { from: iptables, capabilities },
  };
  return [
    image("proxy", `/${inside}/linkerd2-proxy-identity`, {
      [`${inside}/linkerd2-proxy`]: { from: await own("linkerd2-proxy") },
      [`${inside}/linkerd2-proxy-identity`]: { from: await own("proxy-identity") },
      ...init,
      [`${inside}/linkerd-await`]: { text: awaitReady },
    }),
    image("controller", "/controller", {
      controller: { from: await own("controller") },
      "linkerd-policy-controller": { from: await own("linkerd-policy-controller") },
    }),
    // Until 2.19, the init container had an image of its own.
    ...(proxyInit.image === undefined
      ? []
      : [image("proxy-init", `/${inside}/linkerd2-proxy-init`, init, proxyInit.image.version)]),
  ];
}

/** Returns the version of Linkerd that these charts install, which is the tag of its images. */
export async function linkerdVersionOf(charts: string): Promise<string> {
  const chart = (await fileOf(charts, "Chart.yaml")) as { readonly appVersion: string };
  return chart.appVersion;
}

async function fileOf(charts: string, name: string): Promise<unknown> {
  return parse(await readFile(join(charts, "linkerd-control-plane", name), "utf8"));
}

interface Values {
  readonly proxyInit: { readonly image?: { readonly version: string } };
}

async function locate(name: (typeof programs)[number], folder?: string): Promise<string> {
  if (folder !== undefined) return join(folder, name);
  const path = await programOnPath(name);
  if (path === undefined) throw new UserError(`${name} is not on PATH.`);
  return path;
}

/** Linkerd's own is a program in Rust that does the same. */
const awaitReady = `#!/bin/sh
for try in $(seq 1200); do
  curl -sf -o /dev/null http://localhost:4191/ready && exit 0
  sleep 0.1
done
exit 69
`;
