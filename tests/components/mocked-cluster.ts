import * as pulumi from "@pulumi/pulumi";
import { Cluster, type ClusterSetup } from "../../components/cluster.ts";
import { roleOf } from "../../components/charts/values.ts";
import { configOf, type Raw } from "../unit/config/table.ts";
import { mockedStack } from "./mocked-stack.ts";

export const canary = "-----BEGIN PRIVATE KEY-----canary";
export const bundle = "the anchors";

/** West as this config has it. */
export function argsOf(keys: Raw = {}): ClusterSetup {
  const config = configOf(keys);
  const west = config.clusters.get("west");
  if (west === undefined) throw new Error("there is no cluster west");
  const { linkerdNamespace, multiclusterNamespace, charts } = config;
  return {
    ...{ config: west, role: roleOf("west", config), charts },
    ...{ linkerdNamespace, multiclusterNamespace },
    trust: {
      bundlePem: bundle,
      issuer: { certPem: pulumi.output("the issuer"), keyPem: pulumi.secret(canary) },
    },
    ...{ uid: "u1", unreachable: false },
  };
}

export const built = (keys: Raw = {}, more: Partial<ClusterSetup> = {}) =>
  mockedStack(() => new Cluster("west", { ...argsOf(keys), ...more }));

export const identity = "pulumi-nodejs:dynamic/linkerd:ClusterIdentity";
export const provider = "pulumi:providers:kubernetes";
export const namespace = "kubernetes:core/v1:Namespace";
export const secret = "kubernetes:core/v1:Secret";
export const release = "kubernetes:helm.sh/v3:Release";
export const named = (type: string, name: string): string => `${type} ${name}`;
