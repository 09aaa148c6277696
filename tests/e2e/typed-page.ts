import { equal } from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { type EngineParts, environment } from "../bed/pulumi.ts";
import { repository } from "../bed/stack.ts";
import { text } from "../unit/docs/pages.ts";

interface Block {
  readonly language: string;
  readonly body: string;
}

/** Returns the code blocks of a page, those in lists without their indentation. */
export function blocksIn(page: string): Block[] {
  return [...text(page).matchAll(/^( *)```(\w*)\n([^]*?)^ *```/gm)].map(
    ([, indentation = "", language = "", body = ""]) => {
      const lines = body.split("\n").map((line) => line.slice(indentation.length));
      return { language, body: lines.join("\n") };
    },
  );
}

/** A folder with links to everything in this repository but stack files, in which a test types the lines of a page. */
export interface Clone {
  type(line: string): Promise<{ readonly code: number; readonly output: string }>;
  /** Returns what the line prints, or fails. */
  succeeds(line: string): Promise<string>;
  write(file: string, content: string): Promise<void>;
}

export async function cloneFor(bed: EngineParts, name: string): Promise<Clone> {
  const home = join(bed.folder, name);
  const cwd = join(home, "clone");
  await mkdir(cwd, { recursive: true });
  for (const entry of await readdir(repository))
    if (!/^\.|^Pulumi\..*\.yaml$/.test(entry))
      await symlink(join(repository, entry), join(cwd, entry));
  const given = environment(bed);
  const env = {
    ...given,
    PATH: [join(home, "bin"), given["PATH"]].join(delimiter),
    HOME: home,
    npm_config_prefix: home,
    PULUMI_SKIP_CONFIRMATIONS: "true",
    PULUMI_OPTION_COLOR: "never",
  };

  async function type(line: string) {
    const { exitCode = -1, all } = await execa("sh", ["-c", line], {
      cwd,
      env,
      extendEnv: false,
      all: true,
      reject: false,
      stdin: "ignore",
    });
    return { code: exitCode, output: all };
  }

  return {
    type,
    async succeeds(line) {
      const { code, output } = await type(line);
      equal(code, 0, `${line}\n${output}`);
      return output;
    },
    write: (file, content) => writeFile(join(cwd, file), content),
  };
}
