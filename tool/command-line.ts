import { isIP } from "node:net";
import { parseDuration } from "@linkerd-multicluster/engine/duration";
import { Command, InvalidArgumentError, Option } from "commander";
import { formats, type Format, mapFormats, type MapFormat } from "./output.ts";

/** Options that every command takes that is about a stack. */
export interface StackOptions {
  readonly stack?: string;
  readonly cwd?: string;
  readonly configFile?: string;
}

/** Options of the commands that project facts. */
export interface FactsOptions extends StackOptions {
  readonly output: Format;
  readonly state?: boolean;
  readonly from?: string;
}

export interface StatusOptions extends FactsOptions {
  /** In milliseconds; absent: it is not waited. */
  readonly wait?: number;
  readonly watch?: boolean;
}

export interface MapOptions extends Omit<FactsOptions, "output"> {
  readonly output: MapFormat;
  readonly preview?: boolean;
  /** A file; absent: the standard output. */
  readonly to?: string;
}

export interface WhatIfOptions extends FactsOptions {
  readonly lose: string;
}

export interface DiffOptions extends Omit<StackOptions, "stack"> {
  readonly output: Format;
  /** None, one, or two to compare. */
  readonly stack: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly mirror?: string;
}

export interface CheckOptions extends StackOptions {
  readonly output: Format;
  /** In milliseconds. */
  readonly wait: number;
  /** What Linkerd's CLI says when it checks its extensions, and nobody else does. */
  readonly linkerdNamespace?: string;
  readonly kubeconfig?: string;
}

export interface WatchOptions extends StackOptions {
  readonly output: "text" | "json";
  /** In milliseconds. */
  readonly resync: number;
  readonly listen?: { readonly host: string; readonly port: number };
}

export interface VerifyOptions extends FactsOptions {
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

export interface GatherOptions extends StackOptions {
  readonly to?: string;
}

/** What each command does. */
export interface Commands {
  readonly status: (options: StatusOptions) => Promise<void>;
  readonly explain: (service: string, options: FactsOptions) => Promise<void>;
  readonly verify: (options: VerifyOptions) => Promise<void>;
  readonly map: (options: MapOptions) => Promise<void>;
  readonly diff: (options: DiffOptions) => Promise<void>;
  readonly whatif: (options: WhatIfOptions) => Promise<void>;
  readonly check: (options: CheckOptions) => Promise<void>;
  readonly watch: (options: WatchOptions) => Promise<void>;
  readonly gather: (options: GatherOptions) => Promise<void>;
}

export const programName = "linkerd-clusters";

/** The command line, which calls what it is given. */
export function commandLine(run: Commands, version = ""): Command {
  const program = new Command(programName)
    .description(
      "Looks at the mesh of a linkerd-multicluster stack. Nothing but watch and verify --request writes.",
    )
    .version(version)
    .showHelpAfterError("(--help shows what there is)")
    .showSuggestionAfterError()
    .addHelpText("after", about);

  factsCommand(program, "status", "shows links, clusters, federated Services and the next up")
    .option("--wait <duration>", "return when everything is in order, or fail after this", duration)
    .option("--watch", "show it anew every few seconds")
    .addHelpText(
      "after",
      examples(
        ["status", "one screen about the stack of this folder"],
        ["status --stack prod --wait 5m", "after an up: until everything is in order"],
        ["status --state", "as the last run has left it, without asking a cluster"],
      ),
    )
    .action((options: StatusOptions) => run.status(options));

  factsCommand(program, "explain", "says where a Service is mirrored, and why not elsewhere")
    .argument("<service>", "namespace/name of a Service or of a mirror, or a name alone")
    .addHelpText(
      "after",
      examples(
        ["explain shop/web", "everywhere that it appears, and why not elsewhere"],
        ["explain shop/web-west", "the same, by the name of a mirror"],
      ),
    )
    .action((service: string, options: FactsOptions) => run.explain(service, options));

  factsCommand(program, "verify", "follows a request through the mesh, and names what breaks it")
    .addOption(new Option("--dry", "by the objects alone; no request is sent").conflicts("request"))
    .addOption(
      new Option("--request", "by a request, from a pod that is made for it").conflicts([
        "state",
        "from",
      ]),
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
    .action((options: VerifyOptions) => run.verify(options));

  stackCommand(program, "map", "draws the mesh, as a page that holds all of it")
    .addOption(
      new Option("-o, --output <format>", "what to make").choices(mapFormats).default("html"),
    )
    .addOption(stateOption())
    .option(...fromOption)
    .option("--preview", "mark what the next up would change")
    .option("--to <file>", "where to; the standard output")
    .addHelpText(
      "after",
      examples(
        ["map --to mesh.html", "a page to look at, to search and to send on"],
        ["map --preview --to next.html", "with what the next up would change"],
        ["map --output mermaid", "for a README"],
      ),
    )
    .action((options: MapOptions) => run.map(options));

  const several = (name: string, before: readonly string[]) => [...before, name];
  program
    .command("diff")
    .description("says which mirrors came, changed and went between updates, stacks or files")
    .option(
      "-s, --stack <name>",
      "which stack; twice: compare the last updates of both",
      several,
      [],
    )
    .option("--cwd <folder>", "the folder of its program")
    .option("--config-file <path>", "its config file, where it is not beside the program")
    .addOption(formatOption())
    .option("--from <side>", "an update (7, last, last-2), live, or a file of a state", "last")
    .option("--to <side>", "likewise", "live")
    .option("--mirror <name>", "instead: what has become of a mirror, update by update")
    .addHelpText(
      "after",
      examples(
        ["diff", "what is not as the last update has left it"],
        ["diff --from last-1 --to last", "what the last update has changed"],
        ["diff --mirror shop/web-west", "since when it is there, and by which run"],
        ["diff --stack prod --stack lab", "what one has and the other has not"],
      ),
    )
    .action((options: DiffOptions) => run.diff(options));

  factsCommand(program, "whatif", "says who is left without what, if something is lost")
    .requiredOption("--lose <what>", "a cluster, gateway/west, link/east/west, namespace/west/shop")
    .addHelpText(
      "after",
      examples(
        ["whatif --lose west", "before a maintenance of the cluster west"],
        ["whatif --lose link/east/west", "the mirrors in east of what is in west"],
      ),
    )
    .action((options: WhatIfOptions) => run.whatif(options));

  stackCommand(program, "check", "checks the live mesh")
    .addOption(formatOption())
    .option("--wait <duration>", "time for the mesh to get in order, as 30s; seconds too", wait, 0)
    .addHelpText(
      "after",
      examples(
        ["check", "checks by cluster and by link; exit code 1 if there are errors"],
        ["check --wait 30s --output json", "for a pipeline"],
      ),
    )
    .action((options: CheckOptions) => run.check(options));
  // What `linkerd check` passes on to its extensions (getExtensionCheckFlags in linkerd2).
  const check = program.commands.find((command) => command.name() === "check");
  for (const flag of ["api-addr", "context", "as", "as-group", "kubeconfig", "linkerd-namespace"])
    check?.addOption(new Option(`--${flag} <value>`).hideHelp());
  for (const flag of ["verbose", "proxy"])
    check?.addOption(new Option(`--${flag} [value]`).hideHelp());
  check?.addOption(new Option("-n, --namespace <value>").hideHelp());

  stackCommand(
    program,
    "watch",
    "runs the stack whenever something that its mesh depends on changes",
  )
    .addOption(new Option("-o, --output <format>").choices(["text", "json"]).default("text"))
    .option("--resync <duration>", "how often to preview everything", resync, 600_000)
    .option("--listen <address>", "where to serve metrics, as 127.0.0.1:9464", address)
    .addHelpText("after", examples(["watch --stack prod --listen 127.0.0.1:9464", "until ended"]))
    .action((options: WatchOptions) => run.watch(options));

  stackCommand(program, "gather", "writes a folder for a bug report, without secrets")
    .option("--to <folder>", "a new folder; linkerd-clusters-<time>")
    .addHelpText(
      "after",
      examples(
        ["gather --to bundle", "what the commands know, redacted"],
        ["explain shop/web --from bundle", "what they say of it, wherever that is read"],
      ),
    )
    .action((options: GatherOptions) => run.gather(options));
  return program;
}

const about = `
Which stack: --stack and --cwd, else the one of this folder as Pulumi has it, else those that
LINKERD_CLUSTERS_STACKS (prod@/srv/mesh,...) or ~/.config/linkerd-multicluster/stacks.yaml name.

With this program on PATH, "linkerd clusters ..." is the same, "linkerd check" asks it too, and
"kubectl linkerd clusters ..." is the same by the name kubectl-linkerd-clusters.

Exit codes: 0 fine; 1 something is not in order or not there; 2 the command could not do its work.
Colors: on a terminal, unless NO_COLOR is set.

Completion, for bash, zsh and fish:
  source <(${programName} complete bash)`;

function examples(...lines: readonly (readonly [words: string, what: string])[]): string {
  const width = Math.max(...lines.map(([words]) => words.length));
  const rows = lines.map(([words, what]) => `  ${programName} ${words.padEnd(width)}  ${what}`);
  return `\nExamples:\n${rows.join("\n")}`;
}

function stackCommand(program: Command, name: string, what: string): Command {
  return program
    .command(name)
    .description(what)
    .option("-s, --stack <name>", "which stack")
    .option("--cwd <folder>", "the folder of its program")
    .option("--config-file <path>", "its config file, where it is not beside the program");
}

function factsCommand(program: Command, name: string, what: string): Command {
  return stackCommand(program, name, what)
    .addOption(formatOption())
    .addOption(stateOption())
    .option(...fromOption);
}

function stateOption(): Option {
  const state = new Option("--state", "by what the last run has left; no cluster is asked");
  return state.conflicts("from");
}

const fromOption = ["--from <folder>", "by what gather has written to this folder"] as const;

function formatOption(): Option {
  return new Option("-o, --output <format>", "how to print it").choices(formats).default("table");
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError("It must be a duration, as 30s or 5m.");
  return milliseconds;
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
    throw new InvalidArgumentError("It must be a port, from 1 to 65535.");
  return Number(text);
}

function wait(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : duration(text);
}

function resync(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < 60_000)
    throw new InvalidArgumentError("It must be a duration of a minute or more, as 10m or 1h30m.");
  return milliseconds;
}

/** Reads `127.0.0.1:9464` or `[::1]:9464`. Without an IP nobody would know who is let in. */
function address(listen: string): { readonly host: string; readonly port: number } {
  const { bracketed, plain, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<port>\d{1,5})$/.exec(listen)?.groups ?? {};
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(port) > 65_535)
    throw new InvalidArgumentError("It must be an IP and a port, as 127.0.0.1:9464 or [::]:9464.");
  return { host, port: Number(port) };
}
