/** Linkerd's images, made of its own programs, which no registry of packages has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { UserError } from "@linkerd-multicluster/engine/kubernetes";
import { notOnPath, programOnPath } from "../path.ts";
import { cacheFolder } from "../tools.ts";
import { debianRoot } from "./debian.ts";
import type { FileIn, Image } from "./images.ts";

const programs = [
  ...["linkerd2-proxy", "proxy-identity", "linkerd2-proxy-init"],
  ...["controller", "linkerd-policy-controller"],
] as const;

/** Returns the reasons why this machine can't make these images. */
export function lackingForLinkerd(): Promise<readonly string[]> {
  return notOnPath(programs);
}

interface ChartValues {
  /** An image of its own until 2.19. */
  readonly proxyInit?: { readonly image?: { readonly version?: string } };
}

/**
 * @param charts the folder of the charts, which ask for these images
 * @param bin a folder with programs that precede those on PATH
 */
export async function linkerdImages(charts: string, bin?: string): Promise<readonly Image[]> {
  const read = async (file: string): Promise<unknown> =>
    parse(await readFile(join(charts, "linkerd-control-plane", file), "utf8"));
  const { appVersion: version } = (await read("Chart.yaml")) as { readonly appVersion: string };
  const { proxyInit } = (await read("values.yaml")) as ChartValues;
  const own = async (name: (typeof programs)[number]): Promise<string> => {
    const path = await programOnPath(name, bin);
    if (path === undefined) throw new UserError(`${name} is not on PATH.`);
    return path;
  };
  const debian = await debianRoot(await cacheFolder());
  const iptables = join(debian, "usr/sbin/xtables-nft-multi");
  const capabilities = "cap_net_raw,cap_net_admin+eip";
  const image = (
    name: string,
    entrypoint: string,
    files: Readonly<Record<string, FileIn>>,
  ): Image => ({
    names: [`cr.l5d.io/linkerd/${name.includes(":") ? name : `${name}:${version}`}`],
    files,
    config: {
      User: "65534",
      Env: [`LINKERD_CONTAINER_VERSION_OVERRIDE=${version}`, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      Entrypoint: [entrypoint],
    },
  });
  const folder = "usr/lib/linkerd";
  // The init container has no other rights.
  const init = {
    [`${folder}/linkerd2-proxy-init`]: { from: await own("linkerd2-proxy-init"), capabilities },
    "usr/sbin/xtables-nft-multi": { from: iptables, capabilities },
  };
  const policies = {
    "linkerd-policy-controller": { from: await own("linkerd-policy-controller") },
  };
  const initVersion = proxyInit?.image?.version;
  return [
    image("proxy", `/${folder}/linkerd2-proxy-identity`, {
      ...init,
      [`${folder}/linkerd2-proxy`]: { from: await own("linkerd2-proxy") },
      [`${folder}/linkerd2-proxy-identity`]: { from: await own("proxy-identity") },
      [`${folder}/linkerd-await`]: { text: awaitReady },
    }),
    image("controller", "/controller", {
      ...policies,
      controller: { from: await own("controller") },
    }),
    // Until 2.18, and until 2.19, these were images of their own.
    image("policy-controller", "/linkerd-policy-controller", policies),
    ...(initVersion === undefined
      ? []
      : [image(`proxy-init:${initVersion}`, `/${folder}/linkerd2-proxy-init`, init)]),
  ];
}

/** Linkerd's own is a program in Rust that does the same. */
const awaitReady = `#!/bin/sh
for try in $(seq 1200); do
  curl -sf -o /dev/null http://localhost:4191/ready && exit 0
  sleep 0.1
done
exit 69
`;
