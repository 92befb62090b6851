// SPDX-License-Identifier: Apache-2.0
// Starts the language server, hlo-lsp, for files of HLO text.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = vscode.workspace.getConfiguration("hlo").get("server");
  client = new LanguageClient("hlo", "HLO", { command }, {
    documentSelector: [{ scheme: "file", language: "hlo" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showWarningMessage(
      `Cannot start "${command}": ${error.message}. The setting hlo.server names the language server of hloc.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("hlo.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("hlo.server")) restart();
    }));
  await start();
}

module.exports = { activate, deactivate: stop };
