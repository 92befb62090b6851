// SPDX-License-Identifier: Apache-2.0
// Simulates the starts and dones of all participants in order, as far as that is known at compile
// time, to find out who waits for whom at the end. Test:
// test/passes/collectives/refuse-deadlocks.test.
//
// The model is what the runtime guarantees (hlort/collective.h). A start never waits. A done waits
// until all members of its group have come to the same meeting: the k-th start on a list of members
// meets the k-th start of each other member on it. A transfer's group is its source and its target,
// on a channel; the done of a send waits only if the runtime already keeps its maximum of sends.
//
// Where data decide what comes next (a "choice": a loop with an unknown trip count, a branch), each
// body and each branch is simulated on its own. If all participants concerned decide alike and come
// to the choice with nothing pending, and each of its bodies ends in that state, then what follows
// does not depend on the decision, and the simulation continues after it. Otherwise a participant
// may do anything from there on.

#ifndef HLOC_PASSES_REHEARSAL_H
#define HLOC_PASSES_REHEARSAL_H

#include "compiler/hlo/CollectiveStages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/collectives/Sameness.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace hloc {

class Rehearsal {
public:
  /// Simulates `function`, with starts and dones in their final order, on all participants.
  Rehearsal(mlir::func::FuncOp function, const Sameness &sameness);

  /// A participant that waits forever, and one that it waits for.
  struct Wait {
    int64_t participant;
    mlir::Operation *at; // its done
    int64_t awaited;     // a participant that waits forever, too
    /// What the awaited participant would join with, after its own wait; may be null.
    mlir::Operation *before;
  };

  /// Participants each of which waits for the next one, and the last for the first.
  struct Ring {
    llvm::SmallVector<Wait> waits;
    mlir::Operation *choice = nullptr; // the choice that it depends on; null if it is certain
  };

  /// One ring that is certain, or otherwise all rings in choices, except those that other rings
  /// make unreachable.
  std::vector<Ring> findRings() const;

  /// Two participants that have a different number of starts before they come to a choice: a start
  /// inside it then meets one outside of it, so that nothing is known.
  struct Doubt {
    mlir::Operation *choice;
    mlir::Operation *at; // where they meet in it
    int64_t first, second;
  };
  std::vector<Doubt> findDoubts() const;

private:
  /// The meetings of one list of members, in order.
  struct Lane {
    llvm::SmallVector<int64_t> members;
    std::vector<int64_t> arrivals;      // by member: the number of starts
    std::vector<mlir::Operation *> ops; // the first start of each meeting

    /// True if all members have come to it.
    bool isComplete(int64_t meeting);

  private:
    int64_t complete = 0; // meetings to which all have come
    size_t missing = 0;   // members before this one have come to the next meeting, too
  };
  struct Step {
    mlir::Operation *op;
    Lane *lane;
    int64_t place, meeting; // of the participant among the members; of the step in the lane
    bool isDone, isSend;
  };
  struct Choice {
    mlir::Operation *op;
    int64_t round;                           // how often the participant has come to it before
    size_t step;                             // the step of the way that follows it
    llvm::MapVector<Lane *, int64_t> before; // meetings in the lanes that it may use
  };
  /// What is known of a choice.
  struct Outcome {
    bool isNeutral = true; // nobody waits after it for what was in it
    std::vector<Ring> rings;
    std::vector<Doubt> doubts;
  };
  struct Way {
    std::vector<Step> steps;
    std::vector<Choice> choices;
    std::map<std::pair<mlir::Operation *, int64_t>, size_t> places; // of rounds among the choices
    llvm::DenseMap<mlir::Operation *, int64_t> rounds;
    bool isKnown = true; // to the end
    size_t next = 0;
    llvm::DenseMap<mlir::Operation *, Step> begun; // the last start of each operation
    std::map<Lane *, int64_t> meetings;            // that it has steps for
  };

  struct Program; // what the simulations of choices share
  Rehearsal(std::shared_ptr<const Program> program, llvm::ArrayRef<mlir::Block *> blocks);

  bool follow(mlir::Block &block, int64_t participant);
  bool followControl(mlir::Operation *op, int64_t participant);
  bool addChoice(mlir::Operation *op, int64_t participant);
  void addStart(hlo::CollectiveStartOp op, int64_t participant);
  Lane *getLane(std::optional<int64_t> channel, llvm::ArrayRef<int64_t> members);
  llvm::ArrayRef<Lane *> getLanes(hlo::CollectiveStartOp op);
  llvm::SmallVector<Lane *> getLanesIn(mlir::Operation *op, int64_t participant);
  mlir::Operation *findStart(mlir::Operation *op, const Lane &lane);
  void endWays();
  bool endWay(int64_t participant);
  bool isEven(const Choice &choice);
  const Outcome &examine(mlir::Operation *choice);
  bool isNeutral() const;
  void run();
  bool advance(int64_t participant);
  static bool mayGoOn(const Step &step);
  std::vector<bool> findStuck() const;
  std::optional<Wait> describeWait(int64_t participant, const std::vector<bool> &stuck) const;
  llvm::SmallVector<Wait> findRing() const;

  std::shared_ptr<const Program> program;
  std::map<std::pair<std::optional<int64_t>, std::vector<int64_t>>, std::unique_ptr<Lane>> lanes;
  /// For each operation, the lane of each participant in it; null if it meets nobody there.
  llvm::DenseMap<mlir::Operation *, std::vector<Lane *>> lanesOf;
  std::vector<Way> ways; // by participant
  llvm::MapVector<mlir::Operation *, Outcome> outcomes;
  llvm::MapVector<mlir::Operation *, Doubt> doubts; // by choice
  size_t stepCount = 0;
  bool isMatched = true; // as far as it got
};

} // namespace hloc

#endif
