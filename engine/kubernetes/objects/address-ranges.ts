import { BlockList, isIP, isIPv4 } from "node:net";

export function isCidr(text: string): boolean {
  const [, ip = "", bits] = /^([\da-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  return isIP(ip) !== 0 && Number(bits) <= (isIP(ip) === 4 ? 32 : 128);
}

export function inRanges(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [ip = "", bits] = cidr.split("/");
    list.addSubnet(ip, Number(bits), family(ip));
  }
  return (address) => list.check(address, family(address));
}

function family(ip: string): "ipv4" | "ipv6" {
  return isIPv4(ip) ? "ipv4" : "ipv6";
}
