#pragma once
// The elements of a storage as numbers, read from its file, decoded and checked.

#include "plugin/base/stop_token.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lowtide::files {
class InputFile;
}

namespace lowtide::memory {
struct Storage;
}

namespace lowtide::residency {

/// `raw`: `count` elements of an adapter's storage, as its file has them. A value that is no number
/// would make every image black, and what it came from could not be determined any more.
/// Error{Corrupt} names role, key and file; nothing is looked at where the storage needs no such
/// check.
void requireFinite(const std::string& role,
                   const memory::Storage& storage,
                   const files::InputFile& file,
                   const std::byte* raw,
                   int64_t count);

/// Error{Corrupt} names role, key and file where a part of a storage cannot be decoded: a scale
/// that is not finite, for example.
void requireValid(const std::string& role,
                  const memory::Storage& storage,
                  const files::InputFile& file,
                  const encodings::StoredPart& stored);

/// Reads bytes of a storage's file. What InputFile::read refuses names role and key too.
void readNamed(const files::InputFile& file,
               const std::string& role,
               const memory::Storage& storage,
               std::span<std::byte> target,
               Bytes offset,
               const StopToken& stop);

/// The elements of one storage as numbers of any floating type, read from its file and, where it is
/// encoded, decoded. One call at a time: `scratch` holds what is on its way.
class StorageElements {
public:
    /// `role`: for messages.
    StorageElements(std::shared_ptr<const files::InputFile> file,
                    std::string role,
                    const memory::Storage& storage,
                    std::span<std::byte> scratch);

    /// Bytes of scratch with which elements [first, first + count) are read at once.
    [[nodiscard]] static Bytes scratchBytes(const memory::Storage& storage,
                                            DType type,
                                            int64_t first,
                                            int64_t count);
    /// So many elements are read well at once; whole blocks.
    [[nodiscard]] int64_t goodCount(DType type) const;

    /// Writes elements [first, first + count) to `target`, aligned to `type`. Each read polls
    /// cancel. Error{Corrupt} names key and file: cut off, a scale that is none, of an adapter a
    /// number that is not finite; Error{Unsupported}: one block's scales do not fit the scratch.
    void read(
        std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const;

private:
    void readPlain(
        std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const;
    void readEncoded(
        std::byte* target, DType type, int64_t first, int64_t count, const StopToken& stop) const;
    void decode(float* numbers,
                encodings::Part part,
                std::span<std::byte> scratch,
                const StopToken& stop) const;

    void readBytes(std::span<std::byte> target, Bytes offset, const StopToken& stop) const {
        readNamed(*file_, role_, storage_, target, offset, stop);
    }

    std::shared_ptr<const files::InputFile> file_;
    std::string role_;
    memory::Storage storage_;
    std::span<std::byte> scratch_;
};

}  // namespace lowtide::residency
