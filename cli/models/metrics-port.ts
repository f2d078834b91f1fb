import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exposition } from "../../agents/model-server/metrics/exposition.ts";
import type { Meter } from "../../agents/model-server/metrics/meter.ts";

/** Serves a meter to Prometheus at `/metrics`, to this machine only. @param port 0 for any that is free. */
export async function serveMetrics(
  port: number,
  meter: Meter,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    response.end(exposition(meter.snapshot()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
