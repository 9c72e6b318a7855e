#include "plugin/residency/held_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/residency/sound_parts.hpp"
#include "plugin/residency/storage_elements.hpp"

#include <algorithm>
#include <cstring>
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
               std::shared_ptr<Arrival> arrival,
               StopToken stop)
        : file_(std::move(file)),
          role_(std::move(role)),
          storage_(storage),
          arrival_(std::move(arrival)),
          stop_(std::move(stop)) {
        LOWTIDE_ASSERT(storage_.staysEncoded && storage_.encoded);
    }

    bool operator()(std::byte* target, Bytes offset, Bytes count) const {
        while (count > 0) {
            if (arrival_->isAbandoned.load(std::memory_order_relaxed)) {
                arrival_->isPartial = true;
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
                    role_ + "." + storage_.key + ": nothing lies behind its companions");
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
        requireSound(
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
    std::shared_ptr<Arrival> arrival_;
    StopToken stop_;
};

}  // namespace

ByteSource heldSource(std::shared_ptr<const files::InputFile> file,
                      std::string role,
                      const memory::Storage& storage,
                      std::shared_ptr<Arrival> arrival,
                      StopToken stop) {
    return HeldReader(
        std::move(file), std::move(role), storage, std::move(arrival), std::move(stop));
}

}  // namespace lowtide::residency
