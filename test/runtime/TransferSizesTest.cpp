// SPDX-License-Identifier: Apache-2.0
// Transfers of arrays whose sizes are known at run time: in the module's memory their elements lie
// as in an array of the bounds, and the host has dense arrays of the sizes.
#include "hlort/transfer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using Context = std::unique_ptr<hlort_context, decltype(&hlort_context_destroy)>;
using Message = std::unique_ptr<hlort_message, decltype(&hlort_message_free)>;
using Numbers = std::vector<int64_t>;

Context makeContext() { return {hlort_context_create(nullptr, nullptr), hlort_context_destroy}; }

/// Elements of one byte, as a module has them or as the host has them.
struct Bytes {
  Numbers dims;
  std::vector<uint8_t> data;
  Numbers minorToMajor = {};
  int32_t type = HLORT_U8;

  hlort_buffer buffer() {
    return {type, int32_t(dims.size()), dims.data(),
            minorToMajor.empty() ? nullptr : minorToMajor.data(), data.data()};
  }
};

/// What a module does at a transfer of one array, whose sizes are -1 where the host chooses them.
int32_t transfer(const Context &context, int32_t kind, Bytes &array, Numbers &sizes,
                 hlort_status *status = nullptr) {
  hlort_buffer buffer = array.buffer();
  int64_t *table[] = {sizes.data()};
  hlort_transfer wanted = {"x.1", "model.hlo:3:7", kind, 0, 0, 1, &buffer, table};
  return hlort_transfer_run(context.get(), &wanted, status);
}

int32_t put(const Context &context, Bytes &array) {
  hlort_buffer buffer = array.buffer();
  return hlort_queue_put(context.get(), HLORT_INFEED, 0, 1, &buffer, 0, nullptr);
}

/// The oldest message of outfeed, as an array.
Bytes take(const Context &context) {
  Message message(hlort_queue_take(context.get(), HLORT_OUTFEED, 0, 0, nullptr),
                  hlort_message_free);
  int64_t count = 0;
  const hlort_buffer *got = hlort_message_buffers(message.get(), &count);
  if (count != 1)
    return {};
  Bytes array{Numbers(got->dims, got->dims + got->rank), {}};
  int64_t bits = hlort_element_bits(got->element_type);
  for (int64_t size : array.dims)
    bits *= size;
  auto *data = static_cast<const uint8_t *>(got->data);
  array.data.assign(data, data + (bits + 7) / 8);
  return array;
}

void setHandler(const Context &context, int32_t kind, hlort_transfer_handler handler, void *user) {
  hlort_queue_options options = {0, 0, handler, user};
  ASSERT_EQ(hlort_queue_configure(context.get(), kind, 0, &options, nullptr), HLORT_OK);
}

TEST(TransferSizes, TheHostChoosesThoseOfWhatItGives) {
  Context context = makeContext();
  Bytes given{{2, 2}, {1, 2, 3, 4}}, got{{3, 4}, std::vector<uint8_t>(12, 9)};
  Numbers sizes = {-1, -1};
  ASSERT_EQ(put(context, given), HLORT_OK);
  ASSERT_EQ(transfer(context, HLORT_INFEED, got, sizes), HLORT_OK);
  EXPECT_EQ(sizes, (Numbers{2, 2}));
  EXPECT_EQ(got.data, (std::vector<uint8_t>{1, 2, 9, 9, 3, 4, 9, 9, 9, 9, 9, 9}));
}

TEST(TransferSizes, LayoutsSayWhatLiesTogether) {
  Context context = makeContext();
  // Columns lie together: two of three elements, of three of four.
  Bytes given{{2, 2}, {1, 2, 3, 4}, {0, 1}}, got{{3, 4}, std::vector<uint8_t>(12, 9), {0, 1}};
  Numbers sizes = {-1, -1};
  ASSERT_EQ(put(context, given), HLORT_OK);
  ASSERT_EQ(transfer(context, HLORT_INFEED, got, sizes), HLORT_OK);
  EXPECT_EQ(got.data, (std::vector<uint8_t>{1, 2, 9, 3, 4, 9, 9, 9, 9, 9, 9, 9}));
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, got, sizes), HLORT_OK);
  Bytes back = take(context);
  EXPECT_EQ(back.dims, (Numbers{2, 2}));
  EXPECT_EQ(back.data, given.data);
}

TEST(TransferSizes, TheHostTakesWhatCounts) {
  Context context = makeContext();
  std::vector<uint8_t> all(2 * 3 * 4);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint8_t(i);
  Bytes array{{2, 3, 4}, all};
  for (const auto &[sizes, expected] : std::vector<std::pair<Numbers, std::vector<uint8_t>>>{
           {{2, 3, 4}, all},
           {{1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
           {{2, 1, 4}, {0, 1, 2, 3, 12, 13, 14, 15}},
           {{2, 2, 1}, {0, 4, 12, 16}},
           {{0, 3, 4}, {}},
           {{2, 3, 0}, {}},
           {{2, 0, 4}, {}}}) {
    Numbers own = sizes;
    ASSERT_EQ(transfer(context, HLORT_OUTFEED, array, own), HLORT_OK);
    Bytes got = take(context);
    EXPECT_EQ(got.dims, sizes);
    EXPECT_EQ(got.data, expected);
  }
}

TEST(TransferSizes, PackedElementsMove) {
  Context context = makeContext();
  // Rows of 3 of at most 5 elements of 4 bits.
  Bytes given{{3, 3}, {0x21, 0x43, 0x65, 0x87, 0x09}, {}, HLORT_U4};
  Bytes got{{3, 5}, std::vector<uint8_t>(8, 0xff), {}, HLORT_U4};
  Numbers sizes = {3, -1};
  ASSERT_EQ(put(context, given), HLORT_OK);
  ASSERT_EQ(transfer(context, HLORT_INFEED, got, sizes), HLORT_OK);
  EXPECT_EQ(got.data, (std::vector<uint8_t>{0x21, 0xf3, 0x4f, 0x65, 0xff, 0x87, 0xf9, 0xff}));
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, got, sizes), HLORT_OK);
  EXPECT_EQ(take(context).data, given.data);
}

TEST(TransferSizes, MoreThanTheBoundFailsTheRun) {
  Context context = makeContext();
  auto refuse = [&](Bytes given) {
    Bytes got{{3, 4}, std::vector<uint8_t>(12, 9)};
    Numbers sizes = {-1, 4};
    hlort_status status = {};
    EXPECT_EQ(put(context, given), HLORT_OK);
    EXPECT_EQ(transfer(context, HLORT_INFEED, got, sizes, &status), HLORT_INVALID_ARGUMENT);
    EXPECT_EQ(sizes, (Numbers{-1, 4}));
    EXPECT_EQ(got.data, std::vector<uint8_t>(12, 9));
    return std::string(status.message);
  };
  EXPECT_EQ(refuse({{4, 4}, std::vector<uint8_t>(16)}),
            "infeed 'x.1' at model.hlo:3:7: expected array 0 to be u8[<=3,4] but the host's infeed "
            "gave u8[4,4]");
  EXPECT_EQ(refuse({{2, 3}, std::vector<uint8_t>(6)}),
            "infeed 'x.1' at model.hlo:3:7: expected array 0 to be u8[<=3,4] but the host's infeed "
            "gave u8[2,3]");
}

TEST(TransferSizes, HandlersReadDenseArrays) {
  Context context = makeContext();
  struct Seen {
    Numbers dims;
    std::vector<uint8_t> data;
    const void *memory;
  } seen;
  setHandler(
      context, HLORT_OUTFEED,
      [](void *user, const hlort_transfer *given, hlort_status *) -> int32_t {
        auto &seen = *static_cast<Seen *>(user);
        const hlort_buffer &buffer = given->buffers[0];
        EXPECT_EQ(given->sizes, nullptr);
        seen.dims.assign(buffer.dims, buffer.dims + buffer.rank);
        auto *data = static_cast<const uint8_t *>(buffer.data);
        seen.data.assign(data, data + buffer.dims[0] * buffer.dims[1]);
        seen.memory = data;
        return HLORT_OK;
      },
      &seen);
  Bytes array{{2, 3}, {1, 2, 3, 4, 5, 6}};
  Numbers sizes = {1, 3};
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, array, sizes), HLORT_OK);
  EXPECT_EQ(seen.data, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(seen.memory, array.data.data()); // what lies together anyway is not copied
  sizes = {2, 2};
  ASSERT_EQ(transfer(context, HLORT_OUTFEED, array, sizes), HLORT_OK);
  EXPECT_EQ(seen.dims, (Numbers{2, 2}));
  EXPECT_EQ(seen.data, (std::vector<uint8_t>{1, 2, 4, 5}));
}

TEST(TransferSizes, HandlersWriteDenseArrays) {
  Context context = makeContext();
  Numbers chosen = {2, 2};
  setHandler(
      context, HLORT_INFEED,
      [](void *user, const hlort_transfer *wanted, hlort_status *) -> int32_t {
        auto &chosen = *static_cast<Numbers *>(user);
        EXPECT_EQ(wanted->buffers[0].dims[1], 3);
        EXPECT_EQ(wanted->sizes[0][1], -1);
        std::copy(chosen.begin(), chosen.end(), wanted->sizes[0]);
        for (int64_t i = 0; i < chosen[0] * chosen[1]; ++i)
          static_cast<uint8_t *>(wanted->buffers[0].data)[i] = uint8_t(i + 1);
        return HLORT_OK;
      },
      &chosen);
  Bytes array{{2, 3}, {9, 9, 9, 9, 9, 9}};
  Numbers sizes = {-1, -1};
  ASSERT_EQ(transfer(context, HLORT_INFEED, array, sizes), HLORT_OK);
  EXPECT_EQ(sizes, chosen);
  EXPECT_EQ((Numbers{array.data[0], array.data[1], array.data[3], array.data[4]}),
            (Numbers{1, 2, 3, 4}));
  chosen = {0, 4};
  sizes = {-1, -1};
  hlort_status status = {};
  EXPECT_EQ(transfer(context, HLORT_INFEED, array, sizes, &status), HLORT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      status.message,
      "infeed 'x.1' at model.hlo:3:7: expected a size from 0 to 3 for dimension 1 of array "
      "0 but the host's handler gave 4");
}

} // namespace
