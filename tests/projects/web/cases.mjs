// Runs all cases, each in an instance of its own, and tells what became of them. `host` has
//   load()          a new instance of the module
//   onError(tell)   tells of errors that nobody catches; returns what ends that
//   hasWindow       whether there is one
//   say(line)       says how far it is

/// How long a case may take, in milliseconds: none takes a second.
const DEADLINE = 30_000;

/// The cases that panic, with what the console is told.
const PANICS = {
  "panics::a_job_that_panicked_ends_by_its_timeout_alone": ["a torn map can't", "a wet letter can't"],
  "panics::a_scope_that_waits_for_the_world_panics": ["condvar wait not supported"],
};

/// What is written to the console while `during` runs goes to `lines`.
async function withConsole(lines, during) {
  const { error } = console;
  // Without the stack.
  console.error = (...parts) => lines.push(parts.join(" ").split("\n\n")[0]);
  try {
    return await during();
  } finally {
    console.error = error;
  }
}

/// Runs one case: null, or why it has failed.
async function run(host, name) {
  const lines = [];
  const errors = [];
  const module = await host.load();
  const awaited = PANICS[name] ?? [];
  return withConsole(lines, () => new Promise((resolve) => {
    const end = (why) => {
      clearTimeout(timer);
      forget();
      resolve(why);
    };
    const fail = (why) => end([...lines, ...errors, why].join("\n"));
    const timer = setTimeout(() => fail("it hangs"), DEADLINE);
    const forget = host.onError((error) => {
      errors.push(error);
      if (errors.length > awaited.length) fail("it has panicked");
    });
    const done = () => {
      const are = errors.length === awaited.length
        && awaited.every((panic, index) => lines[index].includes(panic));
      are ? end(null) : fail(`no panic with "${awaited}"`);
    };
    module.run(name).then(done, fail);
  }));
}

/// The number of cases that have failed.
export async function runAll(host) {
  const names = (await host.load()).cases(host.hasWindow);
  let failed = 0;
  for (const name of names) {
    const why = await run(host, name);
    failed += why !== null;
    host.say(why === null ? `ok      ${name}` : `FAILED  ${name}\n${why}`);
  }
  host.say(`${names.length - failed} of ${names.length} cases hold`);
  return failed;
}
