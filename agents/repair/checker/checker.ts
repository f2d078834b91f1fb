import { MAIN } from "./main.ts";
import { REPRODUCTION } from "./reproduction.ts";
import { SUSPICION } from "./suspicion.ts";
import { TRACER } from "./tracer.ts";
import { VISIBLE_TESTS } from "./visible-tests.ts";

/**
 * The program that runs the reproduction and the visible tests, and says which lines are suspicious. Python 3.6 or
 * later, its standard library only, one process and one thread, so that CPython under WASI runs it.
 *
 * A line is as suspicious as Ochiai has it (Abreu, Zoeteweij, van Gemund 2006): ef / sqrt(F * (ef + ep)), where ef of
 * the F failing and ep of the passing checks run it; a line of a traceback counts 1.5 times, one of a function that
 * the issue names 1.3 times. Work is limited by counting executed lines, never by a clock, so a run always ends the
 * same: 2,000,000 lines for all tests together at first, then ten times what each took, and 50,000 more. Tests of at
 * most 12 files are run, those first that are named like a module that the reproduction runs.
 */
export const CHECKER: string = [TRACER, REPRODUCTION, VISIBLE_TESTS, SUSPICION, MAIN].join("\n\n");
