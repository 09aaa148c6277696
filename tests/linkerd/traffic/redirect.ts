/** As Linkerd's proxies run by its chart. */
export const proxyUser = 2102;

const inbound = 4143;
const outbound = 4140;

/**
 * For iptables-restore: what linkerd-init does in a pod, and where the proxy finds the control plane.
 * At a loopback address the proxy asks no identity of it, since the control plane has no proxies here.
 */
export function redirection(control: string, ports: readonly number[]): string {
  const owner = `-m owner --uid-owner ${proxyUser}`;
  return [
    "*nat",
    ...ports.map(
      (port) =>
        `-A OUTPUT ${owner} -d 127.0.0.1 -p tcp --dport ${port} -j DNAT --to-destination ${control}:${port}`,
    ),
    `-A POSTROUTING -s 127.0.0.1 -d ${control} -j MASQUERADE`,
    `-A OUTPUT ${owner} -j RETURN`,
    "-A OUTPUT -o lo -j RETURN",
    `-A OUTPUT -p tcp -j REDIRECT --to-ports ${outbound}`,
    "-A PREROUTING -p tcp -m multiport --dports 4190,4191 -j RETURN",
    `-A PREROUTING -p tcp -j REDIRECT --to-ports ${inbound}`,
    "COMMIT\n",
  ].join("\n");
}
