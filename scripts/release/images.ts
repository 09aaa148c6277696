import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { programOnPath } from "../../tests/bed/path.ts";
import { pulumiFolder } from "../../tests/bed/pulumi.ts";
import { ensureTools } from "../../tests/bed/tools.ts";
import { run } from "./run.ts";

/** Images that buildah builds without a daemon, in a store of their own. */
export class Images {
  readonly #folder: string;
  /** The options by which buildah and podman find the store. */
  readonly store: readonly string[];

  constructor(folder: string) {
    this.#folder = folder;
    const places = ["--root", join(folder, "images"), "--runroot", join(folder, "run")];
    this.store = [...places, "--storage-driver", "overlay"];
  }

  /**
   * Deletes the folder. Containers that buildah has left mounted would keep it busy, and without root only buildah may delete
   * the files in images.
   */
  delete(): void {
    this.buildah("rm", "--all");
    this.buildah("rmi", "--all", "--force");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  buildah(...words: readonly string[]): string {
    return run("buildah", ...this.store, ...words).trim();
  }

  /** Builds the Dockerfile of examples/watch, in a folder that has what it copies. */
  build(context: string, tag: string, settings: Readonly<Record<string, string>>): void {
    const watch = join(import.meta.dirname, "../../examples/watch");
    this.buildah(
      ...["build", "--layers", "--isolation", "chroot", "--network", "host"],
      ...Object.entries(settings).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
      ...["--file", join(watch, "Dockerfile")],
      ...["--ignorefile", join(watch, "Dockerfile.dockerignore"), "--tag", tag, context],
    );
  }

  /**
   * Builds what stands in for the images that the Dockerfile starts from, where no registry of images can be reached:
   * Debian by mmdebstrap with this machine's Node and npm, and the test bed's build of Pulumi, without its plugins.
   */
  async standIns(): Promise<Readonly<Record<"NODE" | "PULUMI" | "PLUGINS", string>>> {
    const node = join(this.#folder, "node");
    debian(node, ["ca-certificates"]);
    cpSync(process.execPath, join(node, "usr/local/bin/node"));
    const cli = realpathSync((await programOnPath("npm")) ?? "");
    cpSync(dirname(dirname(cli)), join(node, "usr/local/lib/npm"), { recursive: true });
    const npm = join(node, "usr/local/bin/npm");
    writeFileSync(npm, `#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n`);
    chmodSync(npm, 0o755);
    // This machine may trust more authorities than Debian does.
    const authorities = process.env["NODE_EXTRA_CA_CERTS"];
    if (authorities !== undefined) cpSync(authorities, join(node, "etc/authorities.crt"));
    this.#commit(node, "node", [
      ...(authorities === undefined ? [] : ["--env", "NODE_EXTRA_CA_CERTS=/etc/authorities.crt"]),
      ...["--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ]);
    const bin = join(this.#folder, "pulumi/pulumi/bin");
    mkdirSync(bin, { recursive: true });
    for (const file of globSync(
      join(await pulumiFolder(await ensureTools(), this.#folder), "pulumi*"),
    ))
      cpSync(realpathSync(file), join(bin, basename(file)));
    this.#commit(join(this.#folder, "pulumi"), "pulumi", []);
    return { NODE: "localhost/node", PULUMI: "localhost/pulumi", PLUGINS: "" };
  }

  #commit(files: string, name: string, settings: readonly string[]): void {
    const container = this.buildah("from", "scratch");
    this.buildah("add", "--quiet", container, files, "/");
    if (settings.length > 0) this.buildah("config", ...settings, container);
    this.buildah("commit", "--quiet", container, `localhost/${name}`);
    this.buildah("rm", container);
  }
}

/** Writes a minimal Debian, of the release that the Dockerfile's base image has, with these packages. */
export function debian(target: string, packages: readonly string[]): void {
  const words = ["--variant=minbase", `--include=${packages.join(",")}`, "trixie", target];
  run("mmdebstrap", "--quiet", ...words);
}
