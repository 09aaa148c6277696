import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

import { execa } from "execa";

/** An image has Debian's programs, and more files. */
export interface Image {
  readonly names: readonly string[];
  /** The bed copies files to these paths in the image. */
  readonly files?: Readonly<Record<string, FileIn>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly withoutDebian?: boolean;
  /** A folder with other packages of Debian, in place of those that images have. */
  readonly debian?: string;
  /** A folder like the image's root, with links as they are, which belongs to a user of this number. */
  readonly tree?: { readonly from: string; readonly owner: number };
}

export interface FileIn {
  /** A file, or a folder with all that is in it. */
  readonly from?: string;
  readonly text?: string;
  /** The path is a link to this one. */
  readonly linkTo?: string;
  /** The file gives these capabilities to users other than root, in the notation of `setcap`. */
  readonly capabilities?: string;
}

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const passwd = `root:x:0:0:root:/root:/bin/sh
www-data:x:33:33:www-data:/var/www:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/bin/sh
`;

/** Scripts of Debian's packages would create these files, but the packages are only unpacked. */
const additions: NonNullable<Image["files"]> = {
  "etc/passwd": { text: passwd },
  "etc/group": { text: "root:x:0:\nwww-data:x:33:\nnogroup:x:65534:\n" },
  "var/log/nginx/.keep": { text: "" },
  "var/lib/nginx/.keep": { text: "" },
  "run/.keep": { text: "" },
  "tmp/.keep": { text: "" },
};

/** Programs do without these folders of Debian's packages. */
const excluded = ["doc", "locale", "man", "perl"].map((name) => `./usr/share/${name}`);

/** Writes one archive with all images, as `docker save` does, and each layer once. */
export async function writeImages(
  folder: string,
  debian: string,
  images: readonly Image[],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const base = await layer(folder, debian, excluded);
  const common = await layerOf(folder, "additions", additions);
  const manifest = [];
  for (const [index, image] of images.entries()) {
    const { names, files = {}, config, withoutDebian = false, tree } = image;
    const own = image.debian === undefined ? base : await layer(folder, image.debian, excluded);
    const layers = withoutDebian ? [] : [own, common];
    if (Object.keys(files).length > 0) layers.push(await layerOf(folder, String(index), files));
    if (tree !== undefined) layers.push(await layer(folder, tree.from, [], tree.owner));
    const text = JSON.stringify({
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config: { Env: [searchPath], ...config },
      rootfs: { type: "layers", diff_ids: layers.map((digest) => `sha256:${digest}`) },
    });
    const configFile = `${createHash("sha256").update(text).digest("hex")}.json`;
    await writeFile(join(folder, configFile), text);
    manifest.push({
      Config: configFile,
      RepoTags: names,
      Layers: layers.map((digest) => `${digest}.tar`),
    });
  }
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  const parts = new Set(manifest.flatMap(({ Config, Layers }) => [Config, ...Layers]));
  const archive = join(folder, "images");
  await execa("tar", ["-C", folder, "-cf", archive, "manifest.json", ...parts]);
  return archive;
}

async function layerOf(
  folder: string,
  name: string,
  files: NonNullable<Image["files"]>,
): Promise<string> {
  const root = join(folder, `${name}.root`);
  for (const [path, { from, text = "", linkTo, capabilities }] of Object.entries(files)) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    if (linkTo !== undefined) {
      await symlink(linkTo, target);
      continue;
    }
    if (from === undefined) await writeFile(target, text);
    else await cp(from, target, { dereference: true, recursive: true });
    const isProgram = from !== undefined || text.startsWith("#!");
    await chmod(target, isProgram ? 0o755 : 0o644);
    if (capabilities !== undefined) await execa("setcap", [capabilities, target]);
    if (path.startsWith("tmp/")) await chmod(dirname(target), 0o1777);
  }
  return layer(folder, root);
}

/** Returns the digest of a layer, whose file is named by it. */
async function layer(
  folder: string,
  root: string,
  without: readonly string[] = [],
  user = 0,
): Promise<string> {
  const draft = join(folder, "draft.tar");
  const capabilities = ["--xattrs", "--xattrs-include=security.capability"];
  const left = without.map((path) => `--exclude=${path}`);
  const owner = ["--numeric-owner", `--owner=${user}`, `--group=${user}`];
  await execa("tar", [...capabilities, ...left, ...owner, "-C", root, "-cf", draft, "."]);
  const hash = createHash("sha256");
  await pipeline(createReadStream(draft), hash);
  const digest = hash.digest("hex");
  await rename(draft, join(folder, `${digest}.tar`));
  return digest;
}
