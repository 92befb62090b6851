// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Npy.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;
using namespace hloc;

namespace {

class Npy : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npy", folder));
    file = (folder + "/x.npy").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  void writeText(StringRef dictionary, StringRef data) {
    std::ofstream out(file, std::ios::binary);
    std::string header = dictionary.str() + "\n";
    out << "\x93NUMPY" << '\1' << '\0' << char(header.size() & 255) << char(header.size() >> 8)
        << header << data.str();
  }

  /// What is said of reading the file, without its name.
  std::string fault(StringRef type, ArrayRef<int64_t> shape) {
    llvm::Expected<HostArray> array = readNpy(file, arrayType(type, shape), "parameter 'x'");
    if (array)
      return "";
    std::string message = llvm::toString(array.takeError());
    EXPECT_TRUE(StringRef(message).starts_with(file + ": error: ")) << message;
    return message.substr(std::min(message.size(), file.size() + 9));
  }

  RankedTensorType arrayType(StringRef type, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, text::getElementType(type, &context));
  }

  MLIRContext context;
  SmallString<128> folder;
  std::string file;
};

TEST_F(Npy, ReadsWhatItWrote) {
  for (StringRef type : {"pred", "s4", "u2", "s8", "u16", "s64", "f4e2m1fn", "f8e4m3fn", "bf16",
                         "f16", "f32", "f64", "c64", "c128"}) {
    HostArray array(arrayType(type, {2, 3}));
    for (int64_t i = 0; i < 6; ++i)
      array.set(i, {.integer = i % 2, .real = double(i % 2), .imaginary = double(i)});
    ASSERT_FALSE(bool(writeNpy(file, array)));
    llvm::Expected<HostArray> back = readNpy(file, array.type, "parameter 'x'");
    ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
    EXPECT_EQ(back->bytes, array.bytes);
  }
}

TEST_F(Npy, WritesTheDataAtAMultipleOf64) {
  ASSERT_FALSE(bool(writeNpy(file, HostArray(arrayType("bf16", {5})))));
  auto buffer = llvm::MemoryBuffer::getFile(file);
  StringRef data = (*buffer)->getBuffer();
  EXPECT_EQ(data.size() % 64, 10u);
  EXPECT_TRUE(data.contains("{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }"));
}

TEST_F(Npy, ReadsScalarsAndEmptyArrays) {
  writeText("{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
            StringRef("\0\0\x80\x3f", 4));
  llvm::Expected<HostArray> scalar = readNpy(file, arrayType("f32", {}), "parameter 'x'");
  ASSERT_TRUE(bool(scalar)) << llvm::toString(scalar.takeError());
  EXPECT_EQ(scalar->get(0).real, 1.0);
  writeText("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 3), }", "");
  EXPECT_EQ(fault("f32", {0, 3}), "is in column-major (Fortran) order, expected row-major order");
  writeText("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", "");
  EXPECT_EQ(fault("f32", {0, 3}), "");
}

TEST_F(Npy, RefusesAnotherType) {
  writeText("{'descr': '<i4', 'fortran_order': False, 'shape': (2, ), }", "12345678");
  EXPECT_EQ(fault("f32", {2}), "holds s32[2], but parameter 'x' is f32[2]");
  EXPECT_EQ(fault("bf16", {2}), "holds s32[2], but parameter 'x' is bf16[2], stored as u16");
  writeText("{'descr': '>f4', 'fortran_order': False, 'shape': (2, ), }", "12345678");
  EXPECT_EQ(fault("f32", {2}), "holds big-endian numbers, expected little-endian ones");
  writeText("{'descr': '|O', 'fortran_order': False, 'shape': (2, ), }", "12345678");
  EXPECT_EQ(fault("f32", {2}), "holds 'O'[2], but parameter 'x' is f32[2]");
}

TEST_F(Npy, RefusesAnotherShapeOrOrder) {
  writeText("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "12345678");
  EXPECT_EQ(fault("f32", {2}), "holds f32[2,1], but parameter 'x' is f32[2]");
  writeText("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", "12345678");
  EXPECT_EQ(fault("f32", {2, 1}), "is in column-major (Fortran) order, expected row-major order");
}

TEST_F(Npy, RefusesTooLittleOrTooMuchData) {
  writeText("{'descr': '<f4', 'fortran_order': False, 'shape': (2, ), }", "1234567");
  EXPECT_EQ(fault("f32", {2}), "has 7 bytes of data, expected 8");
  writeText("{'descr': '<f4', 'fortran_order': False, 'shape': (2, ), }", "123456789");
  EXPECT_EQ(fault("f32", {2}), "has 9 bytes of data, expected 8");
}

TEST_F(Npy, RefusesWhatIsNoNpyFile) {
  const char *headerFault = "has a header that is not understood: expected one array of numbers";
  EXPECT_EQ(fault("f32", {2}), "No such file or directory");
  for (StringRef dictionary : {"", "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
                               "{'shape': (2,)}", "{'descr': '<f4', 'shape': (2,)}",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }"}) {
    writeText(dictionary, "12345678");
    EXPECT_EQ(fault("f32", {2}), headerFault) << dictionary.str();
  }
  std::ofstream(file) << "\x93NUMPY\1";
  EXPECT_EQ(fault("f32", {2}), headerFault);
  std::ofstream(file) << "1 2 3";
  EXPECT_EQ(fault("f32", {2}), "is not an .npy file");
}

TEST_F(Npy, RefusesValuesThatASmallTypeLacks) {
  writeText("{'descr': '|i1', 'fortran_order': False, 'shape': (3, ), }",
            StringRef("\x07\xf8\x08", 3));
  EXPECT_EQ(fault("s4", {3}), "element 2 is no value of s4");
  writeText("{'descr': '|u1', 'fortran_order': False, 'shape': (3, ), }",
            StringRef("\x00\x03\x04", 3));
  EXPECT_EQ(fault("u2", {3}), "element 2 is no value of u2");
}

TEST_F(Npy, SaysWhichFileCannotBeWritten) {
  std::string message =
      llvm::toString(writeNpy((folder + "/missing/x.npy").str(), HostArray(arrayType("f32", {2}))));
  EXPECT_TRUE(StringRef(message).contains("missing/x.npy: error: cannot write")) << message;
}

} // namespace
