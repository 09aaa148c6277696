import { type Container, type Pod, type Variable } from "./objects.ts";

/** As the proxy's chart names them: where each part of the control plane is. */
const controlAddresses = {
  LINKERD2_PROXY_IDENTITY_SVC_ADDR: 8080,
  LINKERD2_PROXY_DESTINATION_SVC_ADDR: 8086,
  LINKERD2_PROXY_POLICY_SVC_ADDR: 8090,
} as const;

/** The variables that a kubelet starts a pod's proxy with, but for the control plane's addresses. */
export function proxyEnvironment(
  pod: Pod,
  container: Container,
  address: string,
): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const variable of container.env ?? []) {
    const text = valueOf(variable, pod, address);
    variables.set(
      variable.name,
      text.replaceAll(/\$\(([^)]+)\)/g, (all, name: string) => variables.get(name) ?? all),
    );
  }
  for (const [name, port] of Object.entries(controlAddresses))
    variables.set(name, `127.0.0.1:${port}`);
  return Object.fromEntries(variables);
}

function valueOf({ value = "", valueFrom }: Variable, pod: Pod, address: string): string {
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": pod.metadata.name,
    "metadata.namespace": pod.metadata.namespace,
    "metadata.uid": pod.metadata.uid,
    "spec.nodeName": pod.spec.nodeName,
    "spec.serviceAccountName": pod.spec.serviceAccountName,
    "status.podIP": address,
    "status.podIPs": address,
  };
  const path = valueFrom?.fieldRef?.fieldPath;
  return path === undefined ? value : (fields[path] ?? "");
}
