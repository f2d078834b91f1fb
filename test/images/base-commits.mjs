// Prints `<instance_id>=<base_commit>` for instances of a parquet file of SWE-bench rows.
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const [file, ...ids] = process.argv.slice(2);
const columns = ["instance_id", "base_commit"];
for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(file), columns, compressors })) {
  if (ids.includes(row.instance_id)) console.log(`${row.instance_id}=${row.base_commit}`);
}
