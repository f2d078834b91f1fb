import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, TracerProvider } from "@opentelemetry/api";
import { messageOf } from "../errors.ts";
import { loadApi } from "./load-api.ts";
import type { TraceAttributes, Tracer } from "./tracer.ts";

/** The spans under way, for programs that have no context manager of OpenTelemetry's. */
const contexts = new AsyncLocalStorage<Context>();

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** A `TracerProvider` of OpenTelemetry's. @default the one that is registered, see `trace.setGlobalTracerProvider` */
  readonly provider?: { getTracer(name: string): object };
}

/**
 * A tracer that gives its spans to OpenTelemetry. Spans have the right parents with or without a context manager; with one
 * they also lie within the program's own.
 * @throws {InputError} if @opentelemetry/api is not installed.
 */
export async function openTelemetry({ provider }: OpenTelemetryOptions = {}): Promise<Tracer> {
  const { context, trace, SpanKind, SpanStatusCode } = await loadApi();
  const spans = ((provider as TracerProvider | undefined) ?? trace).getTracer("forkgym");
  return {
    span(name, attributes, run, kind = "internal") {
      const active = context.active();
      const outer = trace.getSpan(active) === undefined ? (contexts.getStore() ?? active) : active;
      const span = spans.startSpan(
        name,
        { kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: given(attributes) },
        outer,
      );
      const inner = trace.setSpan(outer, span);
      const traced = async () => {
        try {
          return await run({ set: (more) => void span.setAttributes(given(more)) });
        } catch (error) {
          span.recordException(error instanceof Error ? error : String(error));
          span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
          throw error;
        } finally {
          span.end();
        }
      };
      return contexts.run(inner, () => context.with(inner, traced));
    },
  };
}

function given(attributes: TraceAttributes) {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, typeof value === "object" ? [...value] : value]],
    ),
  );
}
