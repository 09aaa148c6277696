import { mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { environment } from "../bed/pulumi.ts";
import { newStack, repository } from "../bed/stack.ts";
import { exported, service } from "./mirroring/objects.ts";
import { bedWithGateway, create, type SharedBed } from "./mirroring/shared-bed.ts";

/** A support bundle must not have these texts. */
export const secrets = {
  "an annotation": "canary-of-an-annotation-5d1e9a77b3c2",
};

const annotations = { "tool.test/note": secrets["an annotation"] };

/** A stack after its `up`: `tool/web` of west is mirrored in east, and `tool-ledgers/ledger` lacks a namespace. */
export interface ToolStack {
  readonly shared: SharedBed;
  readonly folder: string;
  /** Runs a program with `linkerd-clusters` on PATH, by default in the stack's folder. */
  run(
    words: readonly string[],
    cwd?: string,
    variables?: Readonly<Record<string, string>>,
  ): Promise<Ended>;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function toolStack(): Promise<ToolStack> {
  const shared = await bedWithGateway("tool");
  const { bed, kube } = shared;
  await create(kube.west, [
    service("tool/web", { labels: exported, annotations }),
    service("tool-ledgers/ledger", { labels: exported }),
  ]);
  const stack = await newStack(bed, "tool", {
    clusters: { west: {}, east: {} },
    manage: "mirrors",
    links: [{ source: "east", target: "west" }],
  });
  const { code, text } = await stack.run(["up", "--yes", "--skip-preview"]);
  if (code !== 0) throw new Error(text);
  const bin = join(bed.folder, "tool-bin");
  await mkdir(bin);
  await symlink(join(repository, "cli", "linkerd-clusters.mjs"), join(bin, "linkerd-clusters"));
  const given = environment(bed);
  const env = { ...given, PATH: [bin, given["PATH"]].join(delimiter), XDG_CONFIG_HOME: bin };
  const folder = join(bed.folder, "stacks", "tool");
  return {
    shared,
    folder,
    async run([program = "", ...words], cwd = folder, variables = {}) {
      const options = { cwd, env: { ...env, ...variables }, reject: false };
      const ended = await execa(program, words, options);
      return { code: ended.exitCode ?? -1, stdout: ended.stdout, stderr: ended.stderr };
    },
  };
}
