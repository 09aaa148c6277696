import { chartFrom } from "../../components/charts/chart.ts";
import { chartNames, charts } from "../../config/keys/chart-keys.ts";
import { notOnPath, programOnPath } from "../bed/path.ts";

const variable = "LINKERD_CHARTS";

export const chartsFolder = process.env[variable] ?? "";

export const withCli = (await programOnPath("linkerd")) !== undefined;

/** Lists what this machine lacks for a run with Pulumi's real plugins and Linkerd's charts. */
export const lackingForPlugins = [
  ...(await notOnPath([
    "pulumi-resource-kubernetes",
    "pulumi-resource-tls",
    ...(withCli ? ["pulumi-resource-command"] : []),
  ])),
  ...noCharts(),
];

export const arePluginsReal = lackingForPlugins.length === 0;

/** The end of the title of tests that may be skipped. */
export const skipNote = arePluginsReal ? "" : `, skipped: ${lackingForPlugins.join("; ")}`;

/** Returns why the charts are missing, in a list that is empty if they are there. */
function noCharts(): string[] {
  if (chartsFolder === "") return [`${variable} names no folder with Linkerd's charts`];
  const { default: version } = charts.keys.version;
  try {
    for (const name of chartNames) chartFrom({ source: chartsFolder, version }, name);
    return [];
  } catch (error) {
    return [`${variable}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
