import { spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";

import { UserError } from "@linkerd-multicluster/engine/base";
import { notOnPath } from "../path.ts";
import { cacheFolder, ensureNodeTools, type Toolbox } from "../tools.ts";
import { debianRoot, librariesIn } from "./debian.ts";
import { type Image, writeImages } from "./images.ts";
import { pauseImage } from "./node-config.ts";

export interface NodeKit {
  readonly programs: string;
  readonly kubectl: string;
  /** `env` takes these variables. */
  readonly environment: readonly string[];
  readonly images: string;
}

/** Returns the reasons why this machine can't run nodes. */
export async function lackingForNodes(): Promise<readonly string[]> {
  if (process.platform !== "linux") return ["nodes need Linux"];
  const needed = [
    "apt-get",
    "dpkg-deb",
    "ip",
    "mount",
    "nsenter",
    "openssl",
    "setcap",
    "tar",
    "unshare",
  ];
  const missing = await notOnPath(needed);
  if (process.getuid?.() !== 0) return [...missing, "nodes need root"];
  const isAble = spawnSync("unshare", ["--net", "--mount", "true"]).status === 0;
  return isAble ? missing : [...missing, "this system makes no network namespaces"];
}

export async function makeKit(
  folder: string,
  { coredns }: Pick<Toolbox, "coredns">,
  images: readonly Image[],
): Promise<NodeKit> {
  const lacking = await lackingForNodes();
  if (lacking.length > 0)
    throw new UserError(`This machine can't have nodes: ${lacking.join("; ")}.`);
  const tools = await ensureNodeTools();
  const debian = await debianRoot(await cacheFolder());
  const programs = join(folder, "nodes", "programs");
  await mkdir(programs, { recursive: true });
  for (const [name, path] of Object.entries(tools)) await symlink(path, join(programs, name));
  for (const name of ["nft", "runc"])
    await symlink(join(debian, "usr/sbin", name), join(programs, name));
  await symlink(join(debian, "usr/bin/tcpdump"), join(programs, "tcpdump"));
  const own: readonly Image[] = [
    {
      // Linkerd's charts have others for gateways, the last one until 2.19.
      names: [pauseImage, "registry.k8s.io/pause:3.2", "gcr.io/google_containers/pause:3.2"],
      files: { pause: { from: tools.pause } },
      config: { Entrypoint: ["/pause"] },
      withoutDebian: true,
    },
    {
      names: ["bed.local/coredns:1"],
      files: { coredns: { from: coredns } },
      config: { Entrypoint: ["/coredns"] },
      withoutDebian: true,
    },
    {
      names: ["docker.io/buoyantio/bb:v0.0.6"],
      files: { bb: { from: tools.bb } },
      config: { Entrypoint: ["/bb"] },
      withoutDebian: true,
    },
    { names: ["docker.io/curlimages/curl:latest", "bed.local/curl:1"], config: { User: "100" } },
    {
      names: ["docker.io/library/nginx:latest", "bed.local/nginx:1"],
      files: nginx,
      config: { Cmd: ["nginx"] },
    },
  ];
  return {
    programs,
    kubectl: tools.kubectl,
    environment: [
      `PATH=${programs}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      `LD_LIBRARY_PATH=${await librariesIn(debian)}`,
    ],
    images: await writeImages(join(folder, "images"), debian, [...own, ...images]),
  };
}

const nginx = {
  "etc/nginx/nginx.conf": {
    text: `daemon off;
user www-data;
error_log stderr;
events {}
http {
  access_log off;
  server {
    listen 80;
    root /usr/share/nginx/html;
  }
}
`,
  },
} as const;
