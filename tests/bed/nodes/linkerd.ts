/** Makes Linkerd's images of its own programs, which no registry of packages has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { UserError } from "@linkerd-multicluster/engine/base";
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

/** The charts ask for these images. */
export async function linkerdImages(charts: string): Promise<readonly Image[]> {
  const chart = await readFile(join(charts, "linkerd-control-plane", "Chart.yaml"), "utf8");
  const { appVersion: version } = parse(chart) as { readonly appVersion: string };
  const debian = await debianRoot(await cacheFolder());
  const iptables = join(debian, "usr/sbin/xtables-nft-multi");
  const capabilities = "cap_net_raw,cap_net_admin+eip";
  const image = (
    name: string,
    entrypoint: string,
    files: Readonly<Record<string, FileIn>>,
  ): Image => ({
    names: [`cr.l5d.io/linkerd/${name}:${version}`],
    files,
    config: {
      User: "65534",
      Env: [`LINKERD_CONTAINER_VERSION_OVERRIDE=${version}`, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      Entrypoint: [entrypoint],
    },
  });
  const folder = "usr/lib/linkerd";
  return [
    image("proxy", `/${folder}/linkerd2-proxy-identity`, {
      [`${folder}/linkerd2-proxy`]: { from: await own("linkerd2-proxy") },
      [`${folder}/linkerd2-proxy-identity`]: { from: await own("proxy-identity") },
      // The init container has no other rights.
      [`${folder}/linkerd2-proxy-init`]: { from: await own("linkerd2-proxy-init"), capabilities },
      "usr/sbin/xtables-nft-multi": { from: iptables, capabilities },
      [`${folder}/linkerd-await`]: { text: awaitReady },
    }),
    image("controller", "/controller", {
      controller: { from: await own("controller") },
      "linkerd-policy-controller": { from: await own("linkerd-policy-controller") },
    }),
  ];
}

async function own(name: (typeof programs)[number]): Promise<string> {
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
