import { UserError } from "@linkerd-multicluster/engine/base";
import type { Facts } from "../facts/facts.ts";
import { authorizationVariable, prometheusAt, type Query } from "./prometheus.ts";

/**
 * Reads the values of `--traffic`: `http://prometheus:9090` for the only source of a mesh, or `east=http://prometheus:9090`.
 * A message quotes none of them, because a URL may have a credential.
 *
 * @throws UserError
 */
export function prometheusesOf(
  values: readonly string[],
  { links }: Pick<Facts, "links">,
  variables: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, Query> {
  const sources = [...new Set(links.map(({ source }) => source))];
  const found = new Map(
    values.map((value) => {
      const [, named, text = ""] = /^(?:([^=:/]+)=)?(.*)$/.exec(value) ?? [];
      const source = named ?? (sources.length === 1 ? sources[0] : undefined);
      if (source === undefined || !sources.includes(source))
        throw new UserError(
          `--traffic: say which source's proxies a Prometheus has (${sources.join(", ")}), as in --traffic ${sources[0] ?? "east"}=http://localhost:9090`,
        );
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol))
        throw new UserError(
          "--traffic: name the URL of a Prometheus, such as http://localhost:9090",
        );
      if (url.username !== "" || url.password !== "")
        throw new UserError(
          `--traffic: leave credentials out of the URL, and set ${authorizationVariable} to a value of the header Authorization`,
        );
      return [source, prometheusAt(url, variables[authorizationVariable])] as const;
    }),
  );
  if (found.size < values.length)
    throw new UserError("--traffic: name no more than one Prometheus for each source");
  return found;
}
