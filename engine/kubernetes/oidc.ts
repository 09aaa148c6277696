import type { RequestOptions } from "node:https";
import { isRecord } from "./failure.ts";

/**
 * The ID token of `auth-provider: oidc`, refreshed while a run lasts. Unlike kubectl, it does not write
 * a refreshed token back into the kubeconfig.
 */
export class OidcLogin {
  readonly #config: Readonly<Record<string, string>>;
  #login: Promise<(options: RequestOptions) => Promise<void>> | undefined;

  constructor(config: Readonly<Record<string, string>>) {
    this.#config = config;
  }

  /** Undefined if there is no token, or an expired one that can't be refreshed. */
  async token(): Promise<string | undefined> {
    this.#login ??= this.#load();
    const options: RequestOptions = {};
    await (
      await this.#login
    )(options);
    const headers: unknown = options.headers;
    const sent = isRecord(headers) ? headers.Authorization : undefined;
    return typeof sent === "string" ? sent.replace(/^Bearer /, "") : undefined;
  }

  async #load() {
    // Loaded on demand: it takes 0.4 s, which most kubeconfigs can do without.
    const { KubeConfig } = await import("@kubernetes/client-node");
    const kubeconfig = new KubeConfig();
    const authProvider = { name: "oidc", config: { ...this.#config } };
    kubeconfig.loadFromClusterAndUser(
      { name: "oidc", server: "https://unused.invalid", skipTLSVerify: false },
      { name: "oidc", authProvider },
    );
    return (options: RequestOptions) => kubeconfig.applyToHTTPSOptions(options);
  }
}
