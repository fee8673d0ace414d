import { type AgentModel, type Message, RUNBOOK, type Turn, type TurnRequest } from '../model.ts';
import type { Recipe, RecipeStep } from './recipe.ts';
import { SERVICE_RECIPES } from './service-recipes.ts';
import { SYSTEM_RECIPES } from './system-recipes.ts';

const RECIPES = [...SERVICE_RECIPES, ...SYSTEM_RECIPES];

const HELP = `I am the built-in runbook: fixed recipes, no language model. I can help with: disk space, memory, load, listening ports, the state and logs of a service, restarting a service, who is logged in, pending updates, an overview of the machine's health, and: run \`a command\`. The operator of this service can connect a language model.`;

type Command = Extract<Message, { role: 'command' }>;

/**
 * Answers common requests without a language model: the customer's words select a recipe, which runs commands and
 * reads their output. Nothing a guest writes can make it run anything: output only fills in answers.
 */
export class RunbookModel implements AgentModel {
  readonly identity = RUNBOOK;

  async turn({ conversation, onText }: TurnRequest): Promise<Turn> {
    const start = conversation.findLastIndex(({ role }) => role === 'user');
    const ask = (conversation[start] as Extract<Message, { role: 'user' }> | undefined)?.text ?? '';
    const done = conversation.slice(start + 1).filter((said): said is Command => said.role === 'command');
    const recipe = RECIPES.find(({ asks }) => asks.test(ask));
    if (!recipe) return answer(HELP, onText);
    if (done.length === 0) await onText(`Built-in runbook: ${recipe.topic}.`);
    const next = replay(recipe, ask, done);
    return typeof next === 'string' ? answer(next, onText) : turnOf(next);
  }
}

/**
 * Returns the recipe's next command, or its answer. The recipe is restarted and given the results of its commands so
 * far.
 */
function replay(recipe: Recipe, ask: string, done: readonly Command[]): RecipeStep | string {
  const refused = done.find(({ ran }) => !ran);
  if (refused) return `I cannot continue without that command. ${refused.output}`;
  const run = recipe.run(ask);
  let state = run.next();
  for (const { exitCode, output } of done) {
    if (state.done) break;
    state = run.next({ exitCode, output });
  }
  return state.value;
}

async function answer(text: string, onText: TurnRequest['onText']): Promise<Turn> {
  for (const line of text.split(/(?<=\n)/)) await onText(line);
  return turnOf(undefined);
}

const turnOf = (call: RecipeStep | undefined): Turn => ({
  call,
  invalidToolCall: undefined,
  inputTokens: null,
  outputTokens: null,
});
