// What the methods of a driver reject with, beside errors that no caller can handle.

/** The engine cannot be reached or is failing; trying later may work. */
export class ComputeUnavailableError extends Error {
  override name = 'ComputeUnavailableError';
}
/** The engine works and has no room. */
export class CapacityError extends Error {
  override name = 'CapacityError';
}
/** The guest did not power off in time. */
export class ShutdownTimeoutError extends Error {
  override name = 'ShutdownTimeoutError';
}
/** Nothing inside the guest answers, so it cannot be changed from the inside. */
export class AgentUnavailableError extends Error {
  override name = 'AgentUnavailableError';
}
/** A disk was asked to become smaller. */
export class DiskShrinkError extends Error {
  override name = 'DiskShrinkError';
}
/** The engine has nothing to make guests of the template of. */
export class TemplateUnavailableError extends Error {
  override name = 'TemplateUnavailableError';
}
/** The engine cannot put these network rules in force as they are meant: none of them was changed. */
export class PolicyRefusedError extends Error {
  override name = 'PolicyRefusedError';
}
