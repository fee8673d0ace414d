import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesUnder, releaseChangelog } from './changelog.ts';
import { type Kind, raise, writeVersion } from './versions.ts';

/** A step of a release; throws if it fails. */
export interface Step {
  name: string;
  run(): void;
}

const BRANCH = 'main';
const CHANGELOG = 'CHANGELOG.md';
const CHECKS = ['check', 'test'];

/** The next release of the repository in a directory. Nothing is changed until a step runs. */
export class Release {
  readonly version: string;
  readonly tag: string;
  readonly #repository: string;
  readonly #date: string;

  constructor(repository: string, kind: Kind, now: Date) {
    this.#repository = repository;
    this.version = raise(JSON.parse(this.#read('package.json')).version, kind);
    this.tag = `v${this.version}`;
    this.#date = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  }

  get heading(): string {
    return `## ${this.version} (${this.#date})`;
  }

  /** Returns the reasons to refuse the release, one sentence each. */
  problems(): string[] {
    const branch = this.#git('branch', '--show-current');
    const problems = [];
    if (branch !== BRANCH)
      problems.push(`The branch is ${branch || 'none'}: switch to ${BRANCH} to release.`);
    if (this.#isDirty()) problems.push('The working tree has changes: commit or stash them.');
    if (this.#git('tag', '--list', this.tag)) problems.push(`The tag ${this.tag} exists already.`);
    try {
      this.#releasedChangelog();
    } catch (error) {
      problems.push((error as Error).message);
    }
    return problems;
  }

  get steps(): readonly Step[] {
    return [
      ...CHECKS.map((script) => ({ name: `npm run ${script}`, run: () => this.#check(script) })),
      {
        name: `set the version to ${this.version} in every package`,
        run: () => writeVersion(this.#repository, this.version),
      },
      { name: `move "Unreleased" in ${CHANGELOG} under the version`, run: () => this.#moveNotes() },
      { name: 'npm run generate', run: () => this.#npm('generate') },
      { name: `commit "release: ${this.tag}"`, run: () => this.#commit(`release: ${this.tag}`) },
      { name: `tag ${this.tag}`, run: () => this.#tagCommit() },
      { name: `npm run release:keep -- ${this.tag}`, run: () => this.#npm('release:keep', this.tag) },
      // After the tag: the tests of the tagged commit upgrade from the previous release.
      { name: 'commit the kept sources', run: () => this.#commit(`test: upgrade from ${this.tag}`) },
    ];
  }

  #check(script: string): void {
    try {
      this.#npm(script);
    } catch {
      throw new Error(`npm run ${script} failed: nothing was changed.`);
    }
    if (this.#isDirty()) throw new Error(`npm run ${script} changed files: look at git status.`);
  }

  #moveNotes(): void {
    writeFileSync(join(this.#repository, CHANGELOG), this.#releasedChangelog());
  }

  #tagCommit(): void {
    const notes = notesUnder(this.#read(CHANGELOG), this.heading);
    // Git's default would drop the headings of the notes as comments.
    this.#git(
      'tag',
      '--annotate',
      '--cleanup=whitespace',
      '-m',
      `Vauban ${this.version}`,
      '-m',
      notes,
      this.tag,
    );
  }

  #commit(message: string): void {
    this.#git('add', '--all');
    this.#git('commit', '--quiet', '-m', message);
  }

  #releasedChangelog(): string {
    return releaseChangelog(this.#read(CHANGELOG), this.heading);
  }

  #isDirty(): boolean {
    return this.#git('status', '--porcelain') !== '';
  }

  #read(file: string): string {
    return readFileSync(join(this.#repository, file), 'utf8');
  }

  #git(...words: string[]): string {
    return execFileSync('git', words, { cwd: this.#repository, encoding: 'utf8' }).trim();
  }

  #npm(script: string, ...words: string[]): void {
    execFileSync('npm', ['run', script, '--', ...words], { cwd: this.#repository, stdio: 'inherit' });
  }
}
