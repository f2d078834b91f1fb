export { instancesDigest, readInstances } from "./read.ts";
