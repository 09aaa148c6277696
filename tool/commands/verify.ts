import type { Command } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, written } from "../output.ts";
import {
  duration,
  examples,
  type FactsOptions,
  formatOption,
  stackCommand,
  withoutOption,
} from "./options.ts";
import { configFor, factsFor, stackOf } from "./reading.ts";

interface VerifyCommandOptions extends Omit<FactsOptions, "from"> {
  readonly service?: string;
  readonly image: string;
  readonly namespace?: string;
  /** In milliseconds. */
  readonly timeout: number;
}

export function addVerify(program: Command): void {
  const command = stackCommand(
    program,
    "verify",
    "send requests through the mesh from temporary pods",
  )
    .addOption(formatOption())
    .requiredOption(
      "--image <image>",
      "client image with sh and curl, such as curlimages/curl:8.20.0",
    )
    .option("--service <service>", "ask all mirrors of this Service, not one of each link")
    .option("--namespace <name>", "namespace of the pods (default: that of the mirror)")
    .option("--timeout <duration>", "limit for each request with its pod", duration, 60_000)
    .addHelpText(
      "after",
      examples(
        ["verify --image curlimages/curl:8.20.0", "a request through each link"],
        ["verify --image curlimages/curl:8.20.0 --service shop/web", "to all mirrors of a Service"],
      ),
    )
    .action(run);
  withoutOption(command, "--dry", "use check, which reads the mesh without sending requests");
  withoutOption(command, "--request", "leave it out, because verify always sends requests");
  withoutOption(
    command,
    "--echo <image>",
    "leave it out, because verify asks the mirrors themselves",
  );
  withoutOption(command, "--from <folder>", "use status or explain, which read that folder");
}

/** Ctrl-C ends it too, once all pods are deleted. */
async function run({ output, ...options }: VerifyCommandOptions): Promise<void> {
  const { verify } = await import("../verify.ts");
  const { allAnswered, verificationText } = await import("../answers.ts");
  const config = await configFor(await stackOf(options));
  const [facts] = await factsFor(options);
  if (facts === undefined) return;
  const ended = new AbortController();
  const end = () => {
    ended.abort(new Error("Interrupted; all temporary pods are deleted."));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const found: Documents["verify"] = await verify(facts, config, options, ended.signal);
  process.stdout.write(written(found, output, () => verificationText(found)));
  if (!allAnswered(found)) process.exitCode = exitCode.notInOrder;
}
