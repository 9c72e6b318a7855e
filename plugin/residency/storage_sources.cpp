#include "plugin/residency/storage_sources.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/storage_elements.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace lowtide::residency {

namespace {

using HeldBuffer = std::vector<std::byte>;

class HeldReader {
public:
    HeldReader(std::shared_ptr<const files::InputFile> file,
               std::string role,
               const memory::Storage& storage,
               std::shared_ptr<Upload> upload,
               StopToken stop)
        : file_(std::move(file)),
          role_(std::move(role)),
          storage_(storage),
          upload_(std::move(upload)),
          stop_(std::move(stop)) {
        LOWTIDE_ASSERT(storage_.isKeptEncoded && storage_.encoded);
    }

    bool operator()(std::byte* target, Bytes offset, Bytes count) const {
        while (count > 0) {
            if (upload_->isAbandoned.load(std::memory_order_relaxed)) {
                upload_->isPartial = true;
                return false;
            }
            const Bytes done = put(target, offset, std::min(count, files::kReadPiece));
            target += done;
            offset += done;
            count -= done;
        }
        return true;
    }

private:
    /// Some of the bytes from `offset` on, at most `most`.
    Bytes put(std::byte* target, Bytes offset, Bytes most) const {
        if (const Bytes blocks = storage_.fileBytes(); offset < blocks) {
            const Bytes bytes = std::min(most, blocks - offset);
            read({target, static_cast<size_t>(bytes)}, storage_.fileOffset + offset);
            check(target, offset, bytes);
            return bytes;
        }
        const auto& companions = storage_.encoded->companions;
        for (size_t i = 0; i < companions.size(); ++i) {
            const Bytes begin = storage_.heldOffset(i);
            if (offset < begin) {
                const Bytes bytes = std::min(most, begin - offset);
                std::memset(target, 0, static_cast<size_t>(bytes));
                return bytes;
            }
            if (const Bytes left = begin + companions[i].bytes() - offset; left > 0) {
                const Bytes bytes = std::min(most, left);
                read({target, static_cast<size_t>(bytes)},
                     companions[i].fileOffset + (offset - begin));
                return bytes;
            }
        }
        throw Error(ErrorKind::Internal,
                    message("{}.{}: nothing lies behind its companions", role_, storage_.key));
    }

    /// The blocks that end within these bytes of the file.
    void check(const std::byte* bytes, Bytes offset, Bytes count) const {
        const Bytes size = storage_.encoded->blockBytes;
        const int64_t first = offset / size;
        const int64_t whole = (offset + size - 1) / size;
        const int64_t end = (offset + count) / size;
        if (first < whole && first < end) {  // it begins before them
            HeldBuffer block(static_cast<size_t>(size));
            read(block, storage_.fileOffset + first * size);
            checkBlocks(block.data(), first, 1);
        }
        if (whole < end) {
            checkBlocks(bytes + (whole * size - offset), whole, end - whole);
        }
    }

    void checkBlocks(const std::byte* blocks, int64_t first, int64_t count) const {
        const memory::Encoded& encoded = *storage_.encoded;
        const encodings::Part part{encoded.firstElement + first * encoded.blockElements,
                                   count * encoded.blockElements};
        std::vector<HeldBuffer> held;
        for (size_t i = 0; i < encoded.companions.size(); ++i) {
            const encodings::ByteRange range = encodings::companionRange(encoded, i, part);
            read(held.emplace_back(static_cast<size_t>(range.count)),
                 encoded.companions[i].fileOffset + range.begin);
        }
        const std::vector<std::span<const std::byte>> companions(held.begin(), held.end());
        requireValid(
            role_,
            storage_,
            *file_,
            {.tensor = &encoded, .part = part, .blocks = blocks, .companions = companions});
    }

    void read(std::span<std::byte> target, Bytes offset) const {
        readNamed(*file_, role_, storage_, target, offset, stop_);
    }

    std::shared_ptr<const files::InputFile> file_;
    std::string role_;
    memory::Storage storage_;
    std::shared_ptr<Upload> upload_;
    StopToken stop_;
};

}  // namespace

ByteSource heldSource(std::shared_ptr<const files::InputFile> file,
                      std::string role,
                      const memory::Storage& storage,
                      std::shared_ptr<Upload> upload,
                      StopToken stop) {
    return HeldReader(
        std::move(file), std::move(role), storage, std::move(upload), std::move(stop));
}

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

class ScaledReader {
public:
    ScaledReader(std::shared_ptr<const files::InputFile> file,
                 std::string role,
                 const memory::Storage& storage,
                 std::span<std::byte> scratch,
                 std::shared_ptr<Upload> upload,
                 StopToken stop)
        : storage_(storage),
          columns_(storage.elementCount / storage.scaleCount),
          numbers_(reinterpret_cast<float*>(scratch.data())),
          elements_(std::move(file), std::move(role), storage, scratch.last(scratch.size() / 2)),
          capacity_(std::min(static_cast<int64_t>(scratch.size()) / 2 / kNumberBytes,
                             elements_.goodCount(DType::F32))),
          scales_(std::make_shared<std::vector<float>>(static_cast<size_t>(storage.scaleCount),
                                                       kUnknown)),
          upload_(std::move(upload)),
          stop_(std::move(stop)) {
        LOWTIDE_ASSERT(capacity_ > 0);
    }

    bool operator()(std::byte* target, Bytes offset, Bytes count) const {
        const Bytes end = offset + count;
        while (offset < std::min(end, storage_.elementCount)) {
            if (upload_->isAbandoned.load(std::memory_order_relaxed)) {
                upload_->isPartial = true;
                return false;
            }
            const int64_t done =
                putElements(target, offset, std::min(end, storage_.elementCount) - offset);
            target += done;
            offset += done;
        }
        putScales(target, offset, end - offset);
        return true;
    }

private:
    static constexpr Bytes kNumberBytes = sizeof(float);

    /// Elements from `first` on, at most `most`: some whole rows, or a part of one.
    int64_t putElements(std::byte* target, int64_t first, int64_t most) const {
        const int64_t row = first / columns_;
        const int64_t rows = std::min(most, capacity_) / columns_;
        if (first % columns_ == 0 && rows > 0) {
            read(first, rows * columns_);
            for (int64_t i = 0; i < rows; ++i) {
                const float* values = numbers_ + i * columns_;
                const float scale = scaleFor(largestMagnitude(values, columns_));
                (*scales_)[static_cast<size_t>(row + i)] = scale;
                scaleToF8(target + i * columns_, values, scale, columns_);
            }
            return rows * columns_;
        }
        const float scale = scaleOf(row);
        const int64_t count = std::min({most, capacity_, (row + 1) * columns_ - first});
        read(first, count);
        scaleToF8(target, numbers_, scale, count);
        return count;
    }

    /// Known since the row's first part was asked for, else from all of it.
    float scaleOf(int64_t row) const {
        float& scale = (*scales_)[static_cast<size_t>(row)];
        if (scale == scale) {
            return scale;
        }
        float largest = 0;
        for (int64_t done = 0; done < columns_; done += capacity_) {
            const int64_t count = std::min(capacity_, columns_ - done);
            read(row * columns_ + done, count);
            largest = std::max(largest, largestMagnitude(numbers_, count));
        }
        scale = scaleFor(largest);
        return scale;
    }

    /// Bytes from `offset` on, behind the elements.
    void putScales(std::byte* target, Bytes offset, Bytes count) const {
        const Bytes begin = storage_.scaleOffset();
        for (Bytes i = 0; i < count; ++i) {
            const Bytes index = offset + i - begin;  // below 0: between elements and scales
            if (index < 0) {
                target[i] = std::byte{0};
                continue;
            }
            const float scale = scaleOf(index / kNumberBytes);
            std::memcpy(
                target + i, reinterpret_cast<const std::byte*>(&scale) + index % kNumberBytes, 1);
        }
    }

    void read(int64_t first, int64_t count) const {
        elements_.read(reinterpret_cast<std::byte*>(numbers_), DType::F32, first, count, stop_);
    }

    memory::Storage storage_;
    int64_t columns_;
    float* numbers_;
    StorageElements elements_;
    int64_t capacity_;  ///< elements that are read at once
    std::shared_ptr<std::vector<float>> scales_;
    std::shared_ptr<Upload> upload_;
    StopToken stop_;
};

}  // namespace

ByteSource scaledSource(std::shared_ptr<const files::InputFile> file,
                        std::string role,
                        const memory::Storage& storage,
                        std::span<std::byte> scratch,
                        std::shared_ptr<Upload> upload,
                        StopToken stop) {
    return ScaledReader(
        std::move(file), std::move(role), storage, scratch, std::move(upload), std::move(stop));
}

}  // namespace lowtide::residency
