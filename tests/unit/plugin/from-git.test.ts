import { equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import provider from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";

const repository = join(import.meta.dirname, "../../..");

describe("the plugin of a clone", () => {
  it("answers with the committed schema, whatever compiler the caller's tsconfig.json sets up", async () => {
    const folder = await mkdtemp(join(tmpdir(), "caller-"));
    const compilerOptions = { allowJs: true, checkJs: true, strict: true };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    // Pulumi's language host starts a plugin of Node so.
    const start = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run-plugin");
    const words = [start, join(repository, "plugin")];
    const plugin = spawn(process.execPath, words, {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const port = await new Promise<string>((resolve) => {
        createInterface(plugin.stdout).once("line", resolve);
      });
      const client = new provider.ResourceProviderClient(
        `127.0.0.1:${port}`,
        credentials.createInsecure(),
      );
      const schema = await new Promise<string>((resolve, reject) => {
        client.getSchema(new messages.GetSchemaRequest(), (error, answer) => {
          if (error === null) resolve(answer.getSchema());
          else reject(error);
        });
      });
      client.close();
      equal(schema, await readFile(join(repository, "schema.json"), "utf8"));
    } finally {
      plugin.kill();
      await once(plugin, "exit");
      await rm(folder, { recursive: true });
    }
  });
});
