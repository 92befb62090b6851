// SPDX-License-Identifier: Apache-2.0
// batch_norm_training, batch_norm_inference and batch_norm_grad.
#include "compiler/evaluator/core/Interpreter.h"
#include "compiler/evaluator/linalg/Columns.h"
#include <cmath>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::evaluator {

namespace {
/// An array seen as a list of values for each feature.
struct Features {
  int64_t count, inner,
      each; // features, elements after the feature dimension, values of one feature

  Features(const Array &array, int64_t dimension)
      : count(array.shape[dimension]),
        inner(countElements(ArrayRef<int64_t>(array.shape).drop_front(dimension + 1))),
        each(count ? array.getCount() / count : 0) {}

  int64_t featureOf(int64_t linear) const { return linear / inner % count; }
};
} // namespace

static std::vector<double> numbers(Call &call, unsigned index) {
  return toNumbers<double>(call.array(index), ElementType::F64);
}

static FailureOr<Values> training(Call &call) {
  auto op = cast<BatchNormTrainingOp>(call.op);
  const Array &operand = call.array(0);
  Features features(operand, op.getFeatureIndex());
  double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> x = numbers(call, 0), scale = numbers(call, 1), offset = numbers(call, 2);
  std::vector<double> mean(features.count), variance(features.count);
  for (size_t i = 0; i < x.size(); ++i)
    mean[features.featureOf(i)] += x[i];
  for (double &sum : mean)
    sum /= double(features.each); // NaN if there are no values
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.featureOf(i);
    variance[f] += (x[i] - mean[f]) * (x[i] - mean[f]);
  }
  for (double &sum : variance)
    sum /= double(features.each);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.featureOf(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  return Values{fromNumbers(x, operand.type, operand.shape),
                fromNumbers(mean, operand.type, {features.count}),
                fromNumbers(variance, operand.type, {features.count})};
}

static FailureOr<Values> inference(Call &call) {
  auto op = cast<BatchNormInferenceOp>(call.op);
  const Array &operand = call.array(0);
  Features features(operand, op.getFeatureIndex());
  double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> x = numbers(call, 0), scale = numbers(call, 1), offset = numbers(call, 2),
                      mean = numbers(call, 3), variance = numbers(call, 4);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.featureOf(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  return Values{fromNumbers(x, operand.type, operand.shape)};
}

/// With n values a feature, xhat = (x - mean) / sqrt(variance + epsilon):
///   grad_offset = sum(dy), grad_scale = sum(dy (x - mean)) / sqrt(variance + epsilon),
///   grad_x = scale / sqrt(variance + epsilon) (dy - grad_offset / n - xhat grad_scale / n).
static FailureOr<Values> gradient(Call &call) {
  auto op = cast<BatchNormGradOp>(call.op);
  const Array &operand = call.array(0);
  Features features(operand, op.getFeatureIndex());
  double epsilon = op.getEpsilon().convertToDouble();
  std::vector<double> x = numbers(call, 0), scale = numbers(call, 1), mean = numbers(call, 2),
                      variance = numbers(call, 3), dy = numbers(call, 4);
  std::vector<double> gradScale(features.count), gradOffset(features.count);
  auto normalized = [&](size_t i) {
    int64_t f = features.featureOf(i);
    return (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon);
  };
  for (size_t i = 0; i < x.size(); ++i) {
    gradOffset[features.featureOf(i)] += dy[i];
    gradScale[features.featureOf(i)] += dy[i] * (x[i] - mean[features.featureOf(i)]);
  }
  for (int64_t f = 0; f < features.count; ++f)
    gradScale[f] /= std::sqrt(variance[f] + epsilon);
  std::vector<double> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.featureOf(i);
    double n = double(features.each);
    result[i] = scale[f] / std::sqrt(variance[f] + epsilon) *
                (dy[i] - gradOffset[f] / n - normalized(i) * gradScale[f] / n);
  }
  return Values{fromNumbers(result, operand.type, operand.shape),
                fromNumbers(gradScale, operand.type, {features.count}),
                fromNumbers(gradOffset, operand.type, {features.count})};
}

void addNormalizationOps(HandlerTable &table) {
  table["hlo.batch_norm_training"] = training;
  table["hlo.batch_norm_inference"] = inference;
  table["hlo.batch_norm_grad"] = gradient;
}

} // namespace hloc::evaluator
