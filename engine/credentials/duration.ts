const unit = "(\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)";
const duration = new RegExp(`^(${unit})+$`);

/**
 * A gateway's probe period as the Link schema wants it (linkerd-behaviour.md 1.6, 4): whole seconds
 * as Go would print them (`3` is `3s`, `120` is `2m0s`), a Go duration as it is, else undefined.
 */
export function goDuration(text: string): string | undefined {
  if (!/^\d{1,9}$/.test(text)) return duration.test(text) ? text : undefined;
  const total = Number(text);
  const [hours, minutes, seconds] = [
    Math.floor(total / 3600),
    Math.floor(total / 60) % 60,
    total % 60,
  ];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
