import { isIP } from "node:net";
import { parseDuration } from "@linkerd-multicluster/engine/duration";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CheckOptions } from "../check.ts";
import type { Documents } from "../documents.ts";
import type { Answered } from "@linkerd-multicluster/engine/mirroring";
import { print } from "../output.ts";
import type { StackOptions } from "../stack/stacks.ts";
import type { RotateOptions } from "../rotate/rotate.ts";
import type { WatchOptions } from "../watch/watch.ts";
import {
  duration,
  durationOption,
  type FactsOptions,
  formatOption,
  stackCommand,
  wait,
  stackOf,
} from "./options.ts";
import { UserError } from "@linkerd-multicluster/engine/base";

export function addCheck(program: Command): void {
  const command = stackCommand(program, "check", "Check the live mesh", [
    ["check", "by cluster and by link; exits with 1 on errors"],
    ["check --wait 30s --output json", "for a pipeline"],
  ])
    .addOption(formatOption("short"))
    .addOption(
      durationOption("--wait <duration>", "wait up to this long for errors to go away", wait, "0s"),
    )
    .option("--timeout <duration>", "limit for each request to a cluster (default: 30s)", duration)
    .option("--all", "show skipped checks too, with the reason")
    .action(async (options: CheckOptions) => {
      const { check } = await import("../check.ts");
      await check(options);
    });
  // `linkerd check` passes these on to its extensions (getExtensionCheckFlags in linkerd2).
  for (const flag of ["api-addr", "context", "as", "as-group", "kubeconfig", "linkerd-namespace"])
    command.addOption(new Option(`--${flag} <value>`).hideHelp());
  for (const flag of ["verbose", "proxy"])
    command.addOption(new Option(`--${flag} [value]`).hideHelp());
  command.addOption(new Option("-n, --namespace <value>").hideHelp());
}

interface VerifyCommandOptions extends Omit<FactsOptions, "from"> {
  readonly service?: string;
  readonly all?: boolean;
  readonly image: string;
  readonly namespace?: string;
  readonly timeout: number;
}

export function addVerify(program: Command): void {
  stackCommand(program, "verify", "Send requests through the mesh from temporary pods", [
    ["verify --image curlimages/curl:8.20.0", "a request through each link"],
    ["verify --image curlimages/curl:8.20.0 --service shop/web", "to all mirrors of a Service"],
    ["verify --image curlimages/curl:8.20.0 --all", "100 for each kind of mirror and protocol"],
  ])
    .addOption(formatOption())
    .requiredOption(
      "--image <image>",
      "client image with sh and curl, such as curlimages/curl:8.20.0",
    )
    .option("--service <service>", "ask all mirrors of this Service, not one of each link")
    .option("--all", "ask each kind of mirror for each protocol, 100 times")
    .option("--namespace <name>", "namespace of the pods (default: that of the mirror)")
    .addOption(
      durationOption(
        "--timeout <duration>",
        "limit for each request with its pod",
        duration,
        "60s",
      ),
    )
    .action(sendRequests);
}

/** Ctrl-C ends it once all pods are deleted. */
async function sendRequests({ output, ...options }: VerifyCommandOptions): Promise<void> {
  const { verify } = await import("../verify/verify.ts");
  const { allAnswered, latenciesOf, verificationText } = await import("../verify/answers.ts");
  const { undecidedIn } = await import("../facts/facts.ts");
  const { factsOf } = await import("../read-facts.ts");
  const { stackMesh } = await import("../stack/stack-mesh.ts");
  const known = await stackMesh(await stackOf(options), process.env);
  const facts = await factsOf(known);
  const ended = new AbortController();
  const end = () => {
    ended.abort(new UserError("Interrupted before all answers were there."));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  const { answers, failure } = await verify(facts, known.mesh, options, ended.signal);
  const latencies = latenciesOf(answers);
  const found: Documents["verify"] = {
    version: 1,
    answers,
    ...(latencies.length > 0 && { latencies }),
    ...undecidedIn(facts),
  };
  if (failure === undefined || answers.length > 0)
    print(found, output, () => verificationText(found), allAnswered(found));
  if (failure !== undefined) throw failure;
}

interface GatherOptions extends StackOptions {
  readonly to?: string;
}

export function addGather(program: Command): void {
  stackCommand(program, "gather", "Write a support bundle without secrets", [
    ["gather --to bundle", "everything that status knows, redacted"],
    ["explain shop/web --from bundle", "read it on another machine"],
  ])
    .option("--to <folder>", "new folder (default: linkerd-clusters-<time>)")
    .action(async ({ to, ...options }: GatherOptions) => {
      const { gather } = await import("../gather.ts");
      process.stdout.write(await gather(await stackOf(options), to));
    });
}

export function addRotate(program: Command): void {
  stackCommand(
    program,
    "rotate",
    "Run pulumi up until a rotation of the trust anchor is complete",
    [
      ["rotate --stack prod", "asks before each step, and continues after an interruption"],
      ["rotate --stack prod --yes", "without questions"],
    ],
  )
    .option("-y, --yes", "run each step without asking")
    .action(async ({ yes = false, ...options }: StackOptions & RotateOptions) => {
      const { rotate } = await import("../rotate/rotate.ts");
      await rotate(await stackOf(options), { yes });
    });
}

export function addWatch(program: Command): void {
  stackCommand(program, "watch", "Run the stack whenever its mesh changes", [
    ["watch --stack prod --listen 127.0.0.1:9464", "runs until interrupted"],
  ])
    .addOption(
      new Option("-o, --output <format>", "format of the log")
        .choices(["text", "json"])
        .default("text"),
    )
    .addOption(durationOption("--resync <duration>", "interval of full previews", resync, "10m"))
    .option("--listen <address>", "serve metrics there, such as 127.0.0.1:9464", address)
    .action(async (options: WatchOptions) => {
      const { watch } = await import("../watch/watch.ts");
      await watch(await stackOf(options), options);
    });
}

function resync(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < 60_000)
    throw new InvalidArgumentError(
      "It must be a duration of a minute or more, such as 10m or 1h30m.",
    );
  return milliseconds;
}

/** Reads `127.0.0.1:9464` or `[::1]:9464`. It must have an IP, so that it is clear who can connect. */
function address(listen: string): { readonly host: string; readonly port: number } {
  const { bracketed, plain, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<port>\d{1,5})$/.exec(listen)?.groups ?? {};
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(port) > 65_535)
    throw new InvalidArgumentError(
      "It must be an IP and a port, such as 127.0.0.1:9464 or [::]:9464.",
    );
  return { host, port: Number(port) };
}

interface ProberOptions {
  readonly url?: string;
  readonly period: number;
}

/** The stack's Deployment runs it (components/prober.ts), and nobody by hand. */
export function addProber(program: Command): void {
  program
    .command("probe-gateway", { hidden: true })
    .argument("<target>")
    .option("--url <url>")
    .addOption(durationOption("--period <duration>", "", duration, "3s"))
    .action(async (target: string, { url, period }: ProberOptions) => {
      const { probe } = await import("../prober/prober.ts");
      const { holdLease } = await import("../prober/lease.ts");
      const { POD: pod = "", POD_UID: uid = "", POD_NAMESPACE: namespace = "" } = process.env;
      const stop = new AbortController();
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.once(signal, () => {
          stop.abort();
        });
      const listen = { host: "::", port: 9999 };
      const hold = (said?: Answered) => holdLease({ target, namespace, pod, uid }, said);
      const asked = url === undefined ? undefined : new URL(url);
      await probe({ target, url: asked, period, listen }, hold, stop.signal);
    });
}
