import { expect, test } from "vitest";
import { ServerError, type ServerFault } from "../../../../agents/model-server/errors.ts";
import { Circuit, type CircuitOptions, outcomeOf } from "../../../../agents/model-server/pool/circuit.ts";
import { createRng } from "../../../../core/rng.ts";

function fail(circuit: Circuit, times: number, now = 0): void {
  for (let n = 0; n < times; n++) circuit.end(circuit.begin(), "fault", now);
}

function opened(options: CircuitOptions = {}): Circuit {
  const circuit = new Circuit({ openAfter: 2, backOffMs: 100, backOffMaxMs: 350, ...options });
  fail(circuit, 2);
  return circuit;
}

test("it opens after so many faults in a row, not before", () => {
  const circuit = new Circuit({ openAfter: 3 });
  fail(circuit, 2);
  circuit.end(circuit.begin(), "answer", 0);
  fail(circuit, 2);
  expect(circuit.state(0)).toBe("closed");
  fail(circuit, 1);
  expect(circuit.state(0)).toBe("open");
});

test("a failure that does not tell is no fault, and does not break a row of them", () => {
  const circuit = new Circuit({ openAfter: 2 });
  fail(circuit, 1);
  circuit.end(circuit.begin(), "neither", 0);
  expect(circuit.state(0)).toBe("closed");
  fail(circuit, 1);
  expect(circuit.state(0)).toBe("open");
});

test("the back-off over, one probe may go; an answer closes it", () => {
  const circuit = opened();
  expect([circuit.state(99), circuit.wantsProbe(99)]).toEqual(["open", false]);
  expect([circuit.state(100), circuit.wantsProbe(100)]).toEqual(["half-open", true]);
  const probe = circuit.begin();
  expect(circuit.wantsProbe(100)).toBe(false);
  circuit.end(probe, "answer", 150);
  expect([circuit.state(150), circuit.failuresInARow]).toEqual(["closed", 0]);
});

test("a probe that fails opens it for twice as long, up to the most", () => {
  const circuit = opened();
  const waits: number[] = [];
  for (let n = 0; n < 4; n++) {
    const before = circuit.readyAt;
    fail(circuit, 1, before);
    waits.push(circuit.readyAt - before);
  }
  expect(waits).toEqual([200, 350, 350, 350]);
  circuit.end(circuit.begin(), "answer", circuit.readyAt);
  fail(circuit, 2, 5000);
  expect(circuit.readyAt).toBe(5100);
});

test("a probe that was taken back leaves room for another", () => {
  const circuit = opened();
  circuit.end(circuit.begin(), "neither", 100);
  expect(circuit.wantsProbe(100)).toBe(true);
});

test("requests from before it opened do not move it", () => {
  const circuit = new Circuit({ openAfter: 2, backOffMs: 100 });
  const early = Array.from({ length: 6 }, () => circuit.begin());
  circuit.end(early[0]!, "fault", 0);
  circuit.end(early[1]!, "fault", 0);
  const probe = circuit.begin();
  circuit.end(early[2]!, "answer", 10);
  circuit.end(early[3]!, "fault", 10);
  expect([circuit.state(10), circuit.readyAt]).toEqual(["open", 100]);
  circuit.end(early[4]!, "neither", 100);
  expect(circuit.wantsProbe(100)).toBe(false);
  circuit.end(probe, "answer", 100);
  circuit.end(early[5]!, "fault", 100);
  expect(circuit.failuresInARow).toBe(0);
});

test("after a good health check one fault opens it again, for longer; a sample ends the trial", () => {
  const circuit = opened();
  circuit.healthy(circuit.begin());
  expect(circuit.state(100)).toBe("closed");
  fail(circuit, 1, 100);
  expect(circuit.readyAt).toBe(300);
  circuit.healthy(circuit.begin());
  circuit.end(circuit.begin(), "answer", 300);
  fail(circuit, 1, 300);
  expect(circuit.state(300)).toBe("closed");
  fail(circuit, 1, 300);
  expect(circuit.readyAt).toBe(400);
});

test("Retry-After holds a closed circuit, and makes an open one wait longer", () => {
  const circuit = new Circuit({ openAfter: 2, backOffMs: 100 });
  circuit.end(circuit.begin(), "fault", 0, 1000);
  expect([circuit.state(999), circuit.state(1000)]).toEqual(["held", "closed"]);
  circuit.end(circuit.begin(), "fault", 1000, 5000);
  expect([circuit.state(5999), circuit.state(6000)]).toEqual(["open", "half-open"]);
});

test.each([Number.NaN, -5, 0, Number.POSITIVE_INFINITY])("a Retry-After of %d is no Retry-After", (ms) => {
  const circuit = new Circuit();
  circuit.end(circuit.begin(), "fault", 0, ms);
  expect(circuit.state(0)).toBe("closed");
});

test("jitter comes from the generator that it is given, and takes off at most half", () => {
  const waits = Array.from({ length: 50 }, (_, seed) => opened({ rng: createRng(seed) }).readyAt);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...waits)).toBeLessThanOrEqual(100);
  expect(new Set(waits).size).toBeGreaterThan(40);
  expect(opened({ rng: createRng(7) }).readyAt).toBe(waits[7]);
});

test("which faults speak of the endpoint", () => {
  const faults: Record<ServerFault, string> = {
    unreachable: "fault",
    timeout: "fault",
    overloaded: "fault",
    "server-error": "fault",
    "stale-weights": "fault",
    cut: "fault",
    refused: "neither",
    malformed: "neither",
    "aborted-by-server": "neither",
  };
  for (const [fault, outcome] of Object.entries(faults)) {
    expect(outcomeOf(new ServerError(fault as ServerFault, "")), fault).toBe(outcome);
  }
});
