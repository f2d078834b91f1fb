import { expect, test } from "vitest";
import { stepsOf } from "../../../../envs/swe-bench/progress/script.ts";

const short = (script: string): string[] =>
  stepsOf(script).map((step) =>
    step.kind === "run" ? `run ${step.name}` : [step.kind, ...step.paths].join(" "),
  );

test.each<[string, string[]]>([
  ["ls -la src && cat pkg/a.py | head -5", ["look", "look pkg/a.py", "look"]],
  ["sed -n 1,5p pkg/a.py", ["look pkg/a.py"]],
  ["sed -i 's/a < b; c/d/' pkg/a.py", ["edit pkg/a.py"]],
  ["python3 -B /tmp/reproduce.py", ["run -B /tmp/reproduce.py"]],
  [
    "cd /testbed && PYTHONHASHSEED=0 timeout 60 python -m pytest -x tests/test_a.py",
    ["run -m pytest -x tests/test_a.py"],
  ],
  ["python -m pip install x", []],
  ["pytest tests; ./tests/runtests.py a", ["run pytest tests", "run ./tests/runtests.py a"]],
  ["python -c \"print('a; b')\"", ["run print('a; b')"]],
  ["python -c \"open('pkg/a.py', 'w').write('x')\"", ["edit pkg/a.py"]],
  ["python3 - <<'EOF'\nimport a; print(a > 1)\nEOF\necho done", ["run import a; print(a > 1)"]],
  [
    "cat > /tmp/reproduce.py <<'EOF'\nsed -i x y\npytest\nEOF\npython /tmp/reproduce.py",
    ["edit /tmp/reproduce.py", "run /tmp/reproduce.py"],
  ],
  ["echo x >> 'pkg/a.py' 2>&1 && ls > /dev/null", ["edit pkg/a.py", "look"]],
  ["git apply <<EOF\n--- a/pkg/a.py\n+++ b/pkg/a.py\nEOF", ["edit pkg/a.py"]],
  ["git checkout -- pkg/a.py; git stash; git diff", ["undo pkg/a.py", "undo", "look"]],
  ["sed -i 1d a.py && python x.py || { cat k > a.py; false; }; ls", ["edit a.py", "run x.py", "look"]],
  ["pytest a || sed -i 1d a.py; cat b.py", ["run pytest a", "look b.py"]],
  ["if test -f a; then ls; fi", ["look"]],
  ["", []],
  ["'an open quote", []],
])("%j", (script, expected) => {
  expect(short(script)).toEqual(expected);
});
