/*
 * Scenarios of the official conformance suite that say nothing about `strobe mcp`, by why. One that the
 * suite has and that is in no list is run. A check that is left out of a scenario that runs is named with its reason.
 */
const fixture =
  'calls a tool, resource or prompt that only a server made for the suite has (test_…)';
const transport = 'is about HTTP, which strobe mcp does not speak';
const undeclared = 'needs a capability that strobe mcp does not declare';

const byReason = {
  [fixture]: [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-validate-input',
  ],
  [transport]: [
    'server-session-lifecycle',
    'server-sse-polling',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
    'http-custom-header-server-validation',
  ],
  [`${undeclared}: logging (the revision of 2026 deprecates it)`]: ['logging-set-level'],
  [`${undeclared}: subscriptions to resources`]: ['resources-subscribe', 'resources-unsubscribe'],
  [`${undeclared}: the extension for skills`]: [
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
  ],
  [`${undeclared}: the extension for tasks (debug_test and debug_session wait have their own)`]: [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ],
};

const reasons = new Map(
  Object.entries(byReason).flatMap(([why, names]) => names.map((name) => [name, why])),
);

/** Why a scenario is not applicable; undefined where it is. */
export function whyNotApplicable(scenario) {
  return reasons.get(scenario);
}

/** All names that are declared, to find those the suite no longer has. */
export const declaredScenarios = [...reasons.keys()];

/** Checks of scenarios that run, by id: why they say nothing about `strobe mcp`. */
export const leftOutChecks = {
  'sep-2575-http-server-header-mismatch-400': transport,
  'sep-2575-server-rejects-undeclared-capability': fixture,
  'sep-2575-missing-capability-http-400': fixture,
};
