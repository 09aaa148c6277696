import { isIP } from "node:net";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:9464` or `[::1]:9464`; undefined: it is none. Without an IP nobody would know who is let in. */
export function listenAddressIn(text: string): ListenAddress | undefined {
  const { bracketed, plain, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<port>\d{1,5})$/.exec(text)?.groups ?? {};
  const isAddress = bracketed === undefined ? isIP(plain ?? "") === 4 : isIP(bracketed) === 6;
  const number = Number(port);
  if (!isAddress || number > 65_535) return undefined;
  return { host: bracketed ?? plain ?? "", port: number };
}
