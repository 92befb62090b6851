// SPDX-License-Identifier: Apache-2.0
// Programs that answer, crash, hang, and do not exist.
#include "compiler/driver/WorkerProcess.h"
#include <gtest/gtest.h>

using namespace hloc;

namespace {

std::unique_ptr<WorkerProcess> start(const std::string &script) {
  return llvm::cantFail(WorkerProcess::start({"/bin/sh", "-c", script}));
}

} // namespace

TEST(WorkerProcessTest, AnswersWhatItIsAsked) {
  // A message's length, a line break, the message.
  auto worker = start("read size; head -c $size > /dev/null; printf '3\\nyes' >&0; sleep 10");
  EXPECT_EQ(worker->ask("are you there?", 10), "yes");
}

TEST(WorkerProcessTest, ACrashIsNoAnswer) {
  auto worker = start("echo 'model.hlo:1:2: error: bad' >&2; echo more >&2; kill -SEGV $$");
  EXPECT_FALSE(worker->ask("are you there?", 10));
  EXPECT_EQ(worker->getComplaint(), "model.hlo:1:2: error: bad");
  EXPECT_TRUE(worker->hasEnded());
}

TEST(WorkerProcessTest, AnEndlessProgramIsNoAnswer) {
  auto worker = start("while true; do :; done");
  EXPECT_FALSE(worker->ask("are you there?", 0.2));
  EXPECT_EQ(worker->getComplaint(), "");
  EXPECT_FALSE(worker->hasEnded());
}

TEST(WorkerProcessTest, WhatIsNoMessageIsNoAnswer) {
  EXPECT_FALSE(start("printf 'yes\\n' >&0; sleep 10")->ask("are you there?", 10));
  EXPECT_FALSE(start("printf '99999999999999999999999' >&0; sleep 10")->ask("you?", 10));
  EXPECT_FALSE(start("printf '5\\nyes' >&0")->ask("are you there?", 10));
}

TEST(WorkerProcessTest, ARequestThatNobodyReadsDoesNotHang) {
  auto worker = start("sleep 100");
  EXPECT_FALSE(worker->ask(std::string(1 << 24, 'x'), 0.2));
}

TEST(WorkerProcessTest, AProgramThatIsNotThereIsAnError) {
  auto worker = WorkerProcess::start({"/no/such/program"});
  if (worker) // some systems know only when it has started
    EXPECT_FALSE((*worker)->ask("are you there?", 10));
  else
    EXPECT_EQ(llvm::toString(worker.takeError()),
              "cannot start /no/such/program: No such file or directory");
}
