import { block, complaint, linesOf, type Recipe, type RecipeRun, step } from './recipe.ts';

/** Services that people name without the word "service". */
const KNOWN =
  /\b(nginx|apache2|httpd|caddy|haproxy|sshd?|mysqld?|mariadb|postgresql|redis(?:-server)?|mongod|docker|cron|rsyslog|fail2ban|postfix|php[\d.]{0,9}-fpm|memcached|rabbitmq-server)\b/i;
/** Bounded, because they are applied to whole messages of customers. */
const NAMED = [
  /\b(?:restart|reload|start)\s{1,9}(?:the\s{1,9})?(?:service\s{1,9})?[`'"]?([a-z0-9][\w.@-]{0,63})/i,
  /\bservice\s{1,9}[`'"]?([a-z0-9][\w.@-]{0,63})/i,
  /[`'"]([a-z0-9][\w.@-]{0,63})[`'"]/i,
  /\b([a-z0-9][\w.@-]{0,63})(?:\s{1,9}service\b|\.service\b)/i,
];
/** Words in the place of a name that are not one. */
const NO_NAME =
  /^(the|a|an|is|it|my|this|that|and|state|status|logs?|please|failed|server|services?|which|any|some|of|for)$/i;

/** Returns the service that a request is about, or undefined. */
export function serviceIn(ask: string): string | undefined {
  const named = NAMED.map((pattern) => pattern.exec(ask)?.[1]).find((name) => name && !NO_NAME.test(name));
  return (KNOWN.exec(ask)?.[1] ?? named)?.toLowerCase().replace(/[.-]+$/, '');
}

function* restart(ask: string): RecipeRun {
  const name = serviceIn(ask);
  if (!name) return 'Which service? For example: restart nginx.';
  const done = yield step(`sudo -n systemctl restart ${name}`, `Restart ${name}, as you asked`);
  const state = yield step(`systemctl is-active ${name}`, 'Check whether it is running');
  if (done.exitCode === 0 && state.output.trim() === 'active') return `${name} was restarted and is active.`;
  const logs = yield step(`journalctl -u ${name} -n 20 --no-pager`, 'Check its state');
  const why = done.exitCode === 0 ? `it is ${state.output.trim() || 'in no known state'}` : complaint(done);
  return `${name} is not running after the restart: ${why}. Its last log lines:\n${block(linesOf(logs), 20)}`;
}

function* stateAndLogs(ask: string): RecipeRun {
  const name = serviceIn(ask);
  if (!name) return yield* failedServices();
  const state = yield step(`systemctl status ${name} --no-pager`, `Check the state of ${name}`);
  const logs = yield step(`journalctl -u ${name} -n 20 --no-pager`, 'Read its latest logs');
  const active = linesOf(state).find((line) => line.trim().startsWith('Active:'));
  const is = active ? active.trim().replace('Active: ', 'is ') : `has no state: ${complaint(state)}`;
  return `${name} ${is}\nIts last log lines:\n${block(linesOf(logs), 20)}`;
}

function* failedServices(): RecipeRun {
  const failed = yield step(
    'systemctl list-units --type=service --state=failed --no-pager --plain --no-legend',
    'Check for failed services',
  );
  const broken = linesOf(failed).filter((line) => /\.service\b/.test(line));
  return broken.length === 0 ? 'No services have failed.' : `Failed services:\n${block(broken)}`;
}

/** Runs the customer's command verbatim; the policy judges it like any other. */
function* asWritten(ask: string): RecipeRun {
  const command = /`([^`]+)`/.exec(ask)![1]!;
  const result = yield step(command, 'You asked for exactly this');
  const lines = linesOf(result);
  const end = result.exitCode === 0 ? 'It succeeded' : `It ended with ${result.exitCode ?? 'no exit status'}`;
  return lines.length === 0 ? `${end} and wrote nothing.` : `${end}:\n${block(lines, 40)}`;
}

/** Recipes for one service and for a given command; they take precedence over those for the machine. */
export const SERVICE_RECIPES: readonly Recipe[] = [
  { topic: 'your command', asks: /\b(run|execute)\b[^`]{0,200}`[^`]+`/i, run: asWritten },
  { topic: 'restarting a service', asks: /\brestart\b/i, run: restart },
  {
    topic: 'a service',
    asks: new RegExp(`\\b(?:services?|logs?|journal)\\b|${KNOWN.source}`, 'i'),
    run: stateAndLogs,
  },
];
