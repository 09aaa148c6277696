import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import * as z from "zod";

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Evaluates an expression of PromQL now. @throws UserError */
export type Query = (expression: string) => Promise<readonly Sample[]>;

/** Its value is sent as the header Authorization, so that no credential is on a command line. */
export const authorizationVariable = "LINKERD_CLUSTERS_PROMETHEUS_AUTHORIZATION";

const longest = 30_000;

const answer = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: z.tuple([z.number(), z.string()]).transform(([, value]) => Number(value)),
      }),
    ),
  }),
});

/** Errors name the host alone: the rest of a URL may be a credential. @throws UserError */
export function prometheusAt(url: URL, authorization: string | undefined): Query {
  const named = `the Prometheus of --traffic, ${url.host},`;
  const headers = headersWith(authorization);
  return async (expression) => {
    const asked = new URL(url);
    asked.pathname = `${url.pathname.replace(/\/$/, "")}/api/v1/query`;
    asked.searchParams.set("query", expression);
    const signal = AbortSignal.timeout(longest);
    const { status, text } = await fetch(asked, { headers, signal })
      // The connection may also break within the text.
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => {
        throw new UserError(
          `${named} can't be reached (${reasonOf(error)}): check its address and that this machine may connect to it`,
        );
      });
    if (status === 401 || status === 403)
      throw new UserError(
        `${named} refuses to answer (HTTP status ${status}): set ${authorizationVariable} to a valid value of the header Authorization, such as "Bearer TOKEN"`,
      );
    const { success, data } = answer.safeParse(parsed(text));
    if (status !== 200 || !success)
      throw new UserError(
        `${named} doesn't answer as the HTTP API of Prometheus does (HTTP status ${status}): name the URL to which /api/v1/query can be added`,
      );
    // PromQL has NaN and infinities, which are no counts.
    const counts = data.data.result.filter(({ value }) => Number.isFinite(value));
    return counts.map(({ metric, value }) => ({ labels: metric, value }));
  };
}

/** The message of the platform would quote the value. */
function headersWith(authorization: string | undefined): Headers {
  try {
    return new Headers(omitUndefined({ authorization }));
  } catch {
    throw new UserError(
      `${authorizationVariable} has a character that a header can't have, such as the end of a line: set it to one line of ASCII`,
    );
  }
}

/** Messages of `fetch` may quote a URL or a header. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code ?? (name === "TimeoutError" ? `no answer within ${longest / 1000} s` : name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
