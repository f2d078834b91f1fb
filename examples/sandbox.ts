// One container, three futures: fork a sandbox and let the branches differ. Needs Docker and an image with python3.
import { createDockerSandbox } from "forkgym/docker";

const image = process.env.FORKGYM_IMAGE;
if (image === undefined) {
  console.log("set FORKGYM_IMAGE to a local image with python3");
} else {
  const root = await createDockerSandbox({ image, onNote: console.log });
  await root.writeFile("/project/sum.py", "def total(numbers):\n    return 0\n");
  await root.exec("cd /project && export WHO=root", { keepShell: true });

  const snapshot = await root.snapshot();
  const fixes = ["sum(numbers)", "len(numbers)", "max(numbers)"];
  const branches = await Promise.all(fixes.map(() => root.fork(snapshot)));
  await root.release(snapshot);

  const outcomes = await Promise.all(
    branches.map(async (branch, at) => {
      await branch.exec(["sed", "-i", `s/return 0/return ${fixes[at]}/`, "sum.py"]);
      const { stdout } = await branch.exec("python3 -c 'import sum; print(sum.total([1, 2, 3, 4]))'");
      return `${fixes[at]} gives ${stdout.text.trim()} in ${branch.shell.cwd}`;
    }),
  );
  console.log(outcomes.join("\n"));
  console.log("the root still says:", (await root.exec("tail -1 sum.py")).stdout.text.trim());
  await Promise.all([root, ...branches].map((sandbox) => sandbox.close()));
}
