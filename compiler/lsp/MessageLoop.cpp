// SPDX-License-Identifier: Apache-2.0
#include "compiler/lsp/MessageLoop.h"

using namespace llvm;
using llvm::lsp::Logger;

namespace hloc::lsp {

/// The maximum nesting of a message; LLVM's JSON parser is recursive.
constexpr unsigned kMaxDepth = 200;

static bool isTooDeep(StringRef message) {
  unsigned depth = 0;
  for (size_t at = 0; at < message.size(); ++at) {
    char c = message[at];
    if (c == '"')
      while (++at < message.size() && message[at] != '"')
        at += message[at] == '\\';
    else if (c == '[' || c == '{')
      ++depth;
    else if ((c == ']' || c == '}') && depth)
      --depth;
    if (depth > kMaxDepth)
      return true;
  }
  return false;
}

/// False if the client sent `exit`. (LLVM's JSONTransport::run would end at an invalid message.)
static bool handle(json::Value message, llvm::lsp::MessageHandler &handler) {
  json::Object *object = message.getAsObject();
  std::optional<StringRef> method = object ? object->getString("method") : std::nullopt;
  if (!method || object->getString("jsonrpc") != StringRef("2.0")) {
    // Responses are not expected: this server sends no requests.
    Logger::error("expected a request or a notification of JSON-RPC 2.0");
    return true;
  }
  json::Value *params = object->get("params"), *id = object->get("id");
  json::Value given = params ? std::move(*params) : json::Value(nullptr);
  return id ? handler.onCall(*method, std::move(given), std::move(*id))
            : handler.onNotify(*method, std::move(given));
}

bool serveMessages(llvm::lsp::JSONTransportInput &input, llvm::lsp::MessageHandler &handler,
                   function_ref<void()> afterEach) {
  std::string message;
  while (!input.isEndOfInput() && !input.hasError()) {
    if (failed(input.readMessage(message)))
      continue;
    if (isTooDeep(message)) {
      Logger::error("expected a message of at most {0} levels", kMaxDepth);
      continue;
    }
    Expected<json::Value> value = json::parse(message);
    if (!value) {
      Logger::error("expected JSON: {0}", toString(value.takeError()));
      continue;
    }
    if (!handle(std::move(*value), handler))
      return true;
    afterEach();
  }
  return false;
}

} // namespace hloc::lsp
