import { type Command, Option } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, written } from "../output.ts";
import { duration, examples, factsCommand, type FactsOptions, port } from "./options.ts";
import { configFor, factsFor, stackOf, stacksOf } from "./reading.ts";

interface VerifyOptions extends FactsOptions {
  readonly service?: string;
  readonly dry?: boolean;
  readonly request?: boolean;
  readonly image?: string;
  readonly echo?: string;
  readonly echoPort: number;
  readonly namespace?: string;
  /** In milliseconds. */
  readonly timeout: number;
}

export function addVerify(program: Command): void {
  factsCommand(program, "verify", "follows a request through the mesh, and names what breaks it")
    .addOption(new Option("--dry", "by the objects alone; no request is sent").conflicts("request"))
    .addOption(
      new Option("--request", "by a request, from a pod that is made for it").conflicts(["from"]),
    )
    .option("--service <service>", "of this Service; by default of one for each link")
    .option("--image <image>", "with --request: an image with sh and curl, as curlimages/curl")
    .option("--echo <image>", "with --request: ask a pod with this image, which echoes headers")
    .option("--echo-port <port>", "its port", port, 8080)
    .option("--namespace <name>", "of these pods; by default that of the mirror")
    .option("--timeout <duration>", "of each request with its pods", duration, 60_000)
    .addHelpText(
      "after",
      examples(
        ["verify --dry", "one Service of each link"],
        ["verify --dry --service shop/web", "in every cluster that it appears in"],
        ["verify --request --image curlimages/curl:8.20.0", "a request through each link"],
      ),
    )
    .action(run);
}

async function run({ dry = false, request = false, ...options }: VerifyOptions): Promise<void> {
  if (dry) await follow(options);
  else if (request) await send(options);
  else throw new Error("Say --dry, which reads objects alone, or --request, which makes pods.");
}

async function follow({ service, output, ...options }: VerifyOptions): Promise<void> {
  const { leadsTo, verify, verificationText } = await import("../verify.ts");
  const { admissions } = await import("../policies.ts");
  const isLive = options.from === undefined;
  const chosen = isLive ? await stacksOf(options) : [];
  const stacks = await Promise.all(
    (await factsFor(options)).map(async (facts, index) => {
      const stack = chosen[index];
      const asked = leadsTo(facts, service);
      const policies = stack && (await admissions(await configFor(stack), asked));
      return verify(facts, service, policies);
    }),
  );
  const document: Documents["verify --dry"] = { version: 1, stacks };
  process.stdout.write(written(document, output, () => stacks.map(verificationText).join("\n")));
  const chains = stacks.flatMap((each) => each.chains);
  if (chains.length === 0 || chains.some(({ broken }) => broken !== undefined))
    process.exitCode = exitCode.notInOrder;
}

/** Ctrl-C ends it too once everything that was made is removed. */
async function send({ image, output, ...options }: VerifyOptions): Promise<void> {
  if (image === undefined)
    throw new Error("Name the client's image: --image curlimages/curl:8.20.0");
  const { sendRequests } = await import("../request.ts");
  const { allAnswered, requestsText } = await import("../answers.ts");
  const config = await configFor(await stackOf(options));
  const [facts] = await factsFor(options);
  if (facts === undefined) return;
  const ended = new AbortController();
  const end = () => {
    ended.abort(new Error("Interrupted; everything that was made is removed."));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const how = { ...options, image };
  const found: Documents["verify --request"] = await sendRequests(facts, config, how, ended.signal);
  process.stdout.write(written(found, output, () => requestsText(found)));
  if (!allAnswered(found)) process.exitCode = exitCode.notInOrder;
}
