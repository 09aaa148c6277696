import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { folder } from "./files.ts";

/** A machine on which docker, k3d and kubectl only pretend: they keep networks and clusters as files. */
export class Pretended {
  readonly #world = mkdtempSync(join(tmpdir(), "examples-"));

  constructor() {
    for (const name of ["bin", "networks", "clusters"]) mkdirSync(join(this.#world, name));
    const folders = (process.env["PATH"] ?? "").split(delimiter);
    for (const name of ["bash", "dirname", "rm"]) {
      const found = folders.map((each) => join(each, name)).find((file) => existsSync(file));
      if (found === undefined) throw new Error(`${name} is not on the PATH`);
      symlinkSync(found, join(this.#world, "bin", name));
    }
    for (const name of ["docker", "k3d", "kubectl"]) {
      const program = join(this.#world, "bin", name);
      copyFileSync(join(import.meta.dirname, "stubs", name), program);
      chmodSync(program, 0o755);
    }
  }

  /** Runs a script of the examples, and says which commands it gave. */
  run(
    script: string,
    ...words: readonly string[]
  ): { status: number | null; errors: string; commands: string[] } {
    const log = join(this.#world, "log");
    writeFileSync(log, "");
    const env = { PATH: join(this.#world, "bin"), WORLD: this.#world };
    const { status, stderr } = spawnSync(join(folder, script), words, { encoding: "utf8", env });
    return { status, errors: stderr, commands: readFileSync(log, "utf8").trim().split("\n") };
  }

  /** Somebody else's cluster. */
  addCluster(name: string, network: string): void {
    writeFileSync(join(this.#world, "clusters", name), `${network} 10.42.0.0/16\n`);
  }

  get clusters(): string[] {
    return readdirSync(join(this.#world, "clusters"));
  }

  get networks(): string[] {
    return readdirSync(join(this.#world, "networks"));
  }

  remove(): void {
    rmSync(this.#world, { recursive: true });
  }
}
