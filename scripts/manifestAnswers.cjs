// Generated from src/client/manifestAnswers.ts by npm run generate; do not edit.
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/client/manifestAnswers.ts
var manifestAnswers_exports = {};
__export(manifestAnswers_exports, {
  claimedRevision: () => claimedRevision,
  failedAnswer: () => failedAnswer,
  manifestAnswer: () => manifestAnswer,
  versionKey: () => versionKey
});
module.exports = __toCommonJS(manifestAnswers_exports);

// src/client/messages.ts
function member(value, key) {
  if (typeof value !== "object" || value === null) return void 0;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}
function textMember(value, key, fallback = "") {
  const found = member(value, key);
  return typeof found === "string" ? found : fallback;
}

// src/client/manifestAnswers.ts
var versionKey = "io.modelcontextprotocol/protocolVersion";
var capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
function claimedRevision(message) {
  const version = member(member(message.params, "_meta"), versionKey);
  return typeof version === "string" ? version : null;
}
function manifestAnswer(manifest, message, structured) {
  const revision = claimedRevision(message);
  const modern = revision !== null && manifest.modernVersions.includes(revision);
  if (revision !== null && !modern) return null;
  if (modern && member(member(message.params, "_meta"), capabilitiesKey) === void 0) return null;
  if (member(message.params, "cursor") !== void 0) return null;
  switch (message.method) {
    case "initialize":
      if (modern) return null;
      return { ...manifest.initialize, protocolVersion: agreedRevision(manifest, message.params) };
    case "server/discover":
      return modern ? manifest.discover : null;
    case "tools/list":
      return { ...toolList(manifest, structured), ...modern ? manifest.modernExtras : {} };
    case "ping":
      return modern ? null : {};
    default:
      return null;
  }
}
function toolList({ toolList: list, outputSchemas }, structured) {
  const listed = list["tools"];
  if (!structured || !Array.isArray(listed)) return list;
  const tools = listed.map((tool) => ({
    ...typeof tool === "object" ? tool : {},
    outputSchema: outputSchemas[textMember(tool, "name")]
  }));
  return { ...list, tools };
}
function agreedRevision({ legacyVersions }, params) {
  const wanted = member(params, "protocolVersion");
  return legacyVersions.find((version) => version === wanted) ?? legacyVersions[0] ?? "";
}
function failedAnswer(message, error, structured) {
  const { id, method } = message;
  const text = `${error.code}: ${error.message}
Next: ${error.hint}`;
  const { code, hint } = error;
  const data = { code, kind: "environment", message: error.message, hint, retryable: true };
  if (method !== "tools/call")
    return { jsonrpc: "2.0", id, error: { code: -32603, message: text, data } };
  const result = {
    isError: true,
    content: [{ type: "text", text }],
    ...structured ? { structuredContent: { error: data } } : {},
    ...claimedRevision(message) === null ? {} : { resultType: "complete" }
  };
  return { jsonrpc: "2.0", id, result };
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  claimedRevision,
  failedAnswer,
  manifestAnswer,
  versionKey
});
