// Errors that a driver's methods reject with. Any other error is one that no caller can handle.

/** The engine cannot be reached or is failing; trying later may work. */
export class ComputeUnavailableError extends Error {
  override name = 'ComputeUnavailableError';
}
/** The engine works but has no capacity left. */
export class CapacityError extends Error {
  override name = 'CapacityError';
}
export class ShutdownTimeoutError extends Error {
  override name = 'ShutdownTimeoutError';
}
/** Nothing inside the guest answers, so it cannot be changed from the inside. */
export class AgentUnavailableError extends Error {
  override name = 'AgentUnavailableError';
}
export class DiskShrinkError extends Error {
  override name = 'DiskShrinkError';
}
/** The engine has no image for the template. */
export class TemplateUnavailableError extends Error {
  override name = 'TemplateUnavailableError';
}
/** The engine cannot apply these network rules as intended. It has changed none of them. */
export class PolicyRefusedError extends Error {
  override name = 'PolicyRefusedError';
}
