// SPDX-License-Identifier: Apache-2.0
// LAPACK's custom calls, which JAX prints for Cholesky factors and triangular systems, on small
// matrices: a call takes longer than a loop over the rows, which is compiled for the shape and
// needs no library. Test: test/passes/expand/small-lapack-calls.hlo.
#include "compiler/target/LibraryCalls.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/Build.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// True if a call is of LAPACK's `routine` for the element type of its first operand, with these
/// numbers of operands and results.
bool isCallOf(CustomCallOp op, StringRef routine, size_t operands, size_t results) {
  StringRef target = op.getCustomCallTarget();
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty() ||
      target.drop_front() != routine || op.getInputs().size() != operands ||
      op.getNumResults() != results ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  Type element = arrayType(op.getInputs()[0]).getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  Type real = complex ? complex.getElementType() : element;
  char prefix = real.isF32() ? (complex ? 'c' : 's') : real.isF64() ? (complex ? 'z' : 'd') : 0;
  return prefix == target.front();
}

/// True if `type` is a non-empty batch of small square matrices.
bool areSmall(RankedTensorType type) {
  int64_t rank = type.getRank();
  return rank >= 2 && type.getDimSize(rank - 1) == type.getDimSize(rank - 2) &&
         type.getDimSize(rank - 1) <= kMaxLoopedRows && type.getNumElements() > 0;
}

/// A call's attribute that is a letter, as a number; 0 if there is none.
char getLetter(CustomCallOp op, StringRef name) {
  auto config = op->getAttrOfType<StringAttr>("hlo.backend_config");
  auto attributes = config ? dyn_cast_or_null<DictionaryAttr>(
                                 parseAttribute(config.getValue().trim(), op.getContext()))
                           : DictionaryAttr();
  auto letter = attributes ? attributes.getAs<IntegerAttr>(name) : IntegerAttr();
  return letter ? char(letter.getValue().getZExtValue()) : 0;
}

/// (a, b) -> x; side, uplo, trans_x, diag.
struct ExpandTrsm : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CustomCallOp op, PatternRewriter &rewriter) const override {
    if (!isCallOf(op, "trsm", 2, 1))
      return rewriter.notifyMatchFailure(op, "no triangular system");
    auto a = arrayType(op.getInputs()[0]), b = arrayType(op.getInputs()[1]);
    char side = getLetter(op, "side"), uplo = getLetter(op, "uplo"), diag = getLetter(op, "diag"),
         transposes = getLetter(op, "trans_x");
    bool isLeft = side == 'L', isKnown = (isLeft || side == 'R') && (uplo == 'L' || uplo == 'U') &&
                                         (diag == 'U' || diag == 'N') &&
                                         StringRef("NTC").contains(transposes);
    if (!areSmall(a) || !isKnown || op.getResult(0).getType() != b || b.getRank() != a.getRank() ||
        b.getElementType() != a.getElementType() || b.getNumElements() == 0 ||
        a.getShape().drop_back(2) != b.getShape().drop_back(2) ||
        b.getDimSize(b.getRank() - (isLeft ? 2 : 1)) != a.getShape().back())
      return rewriter.notifyMatchFailure(op, "large, or not as the call is defined");
    rewriter.replaceOpWithNewOp<TriangularSolveOp>(op, b, op.getInputs()[0], op.getInputs()[1],
                                                   isLeft, /*lower=*/uplo == 'L',
                                                   /*unit_diagonal=*/diag == 'U',
                                                   transposes == 'N'   ? Transpose::NoTranspose
                                                   : transposes == 'T' ? Transpose::Transposed
                                                                       : Transpose::Adjoint);
    return success();
  }
};

/// a -> (a with the factor in one triangle, info); uplo.
struct ExpandPotrf : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CustomCallOp op, PatternRewriter &rewriter) const override {
    if (!isCallOf(op, "potrf", 1, 2))
      return rewriter.notifyMatchFailure(op, "no Cholesky factor");
    Value a = op.getInputs()[0];
    auto type = arrayType(a);
    char uplo = getLetter(op, "uplo");
    if (!areSmall(type) || (uplo != 'L' && uplo != 'U') || op.getResult(0).getType() != type ||
        op.getResult(1).getType() !=
            RankedTensorType::get(type.getShape().drop_back(2), rewriter.getI32Type()))
      return rewriter.notifyMatchFailure(op, "large, or not as the call is defined");
    Build build(rewriter, op.getLoc());
    auto [factor, failedRow] = factorize(build, a, uplo == 'L');
    Type i32 = rewriter.getI32Type();
    int64_t rank = type.getRank();
    Value inTriangle = build.compare(build.iota(type.getShape(), i32, rank - 2),
                                     build.iota(type.getShape(), i32, rank - 1),
                                     uplo == 'L' ? Direction::GE : Direction::LE);
    rewriter.replaceOp(op, {build.select(inTriangle, factor, a), failedRow});
    return success();
  }
};

} // namespace

void hloc::populateLapackCallExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandTrsm, ExpandPotrf>(patterns.getContext());
}
