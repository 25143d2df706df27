// Runs all cases, each in an instance of its own, and tells what became of them. `host` has
//   load()          a new instance of the module
//   onError(tell)   tells of errors that nobody catches; returns what ends that
//   hasWindow       whether there is one
//   say(line)       says how far it is

/// How long a case may take, in milliseconds: it takes less than a second.
const DEADLINE = 60_000;

/// What is written to the console while `during` runs goes to `lines`.
async function withConsole(lines, during) {
  const { error } = console;
  console.error = (...parts) => lines.push(parts.join(" "));
  try {
    return await during();
  } finally {
    console.error = error;
  }
}

/// Runs one case: null, or why it has failed.
async function run(host, name) {
  const lines = [];
  const module = await host.load();
  return withConsole(lines, () => new Promise((resolve) => {
    const end = (why) => {
      clearTimeout(timer);
      forget();
      resolve(why);
    };
    const timer = setTimeout(() => end("it hangs"), DEADLINE);
    const forget = host.onError((error) => end([...lines, error].join("\n")));
    module.run(name).then(() => end(null), (error) => end(String(error)));
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
