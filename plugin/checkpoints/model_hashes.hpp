#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/file_digests.hpp"
#include "plugin/memory/component_parts.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// Hashes of files that images' metadata name in addition to the checkpoint, as A1111 and its
/// extensions have them.
enum class FileHash : uint8_t {
    Adapter,  ///< twelve digits, of .safetensors files without the header: AutoV3
    Control   ///< eight digits of a small part, as A1111 named checkpoints in its first year
};

/// What an image's fields have instead of it until it is known: "hash:" and 64 digits.
[[nodiscard]] std::string hashIdOf(const memory::WeightFile& file, FileHash hash);
inline constexpr std::string_view kHashId = "hash:";

/// Hashes of denoisers' files and of what changes them, read in the background. Thread-safe.
class ModelHashes {
public:
    explicit ModelHashes(std::shared_ptr<files::FileDigests> digests)
        : digests_(std::move(digests)) {}

    /// Registers which files belong to a tree.
    void know(const memory::ComponentTree& tree);
    /// Registers the file that hashIdOf() identifies.
    void know(const memory::WeightFile& file, FileHash hash);
    /// Begins to read the files of an id that is known.
    void begin(const std::string& id);
    /// SHA-256 of the file, of the digests of all where there are several: 64 hexadecimal digits.
    /// The id must be known. Error{Corrupt} when a file changed since it was opened, what reading
    /// it gives, and Error{Cancelled}.
    [[nodiscard]] std::string digestOf(const std::string& id, const StopToken& stop);
    /// What A1111 shows in images: the first ten digits of a tree's, of a file's as many as it
    /// has; empty when the id is not known or a file changed or cannot be read. Error{Cancelled}.
    [[nodiscard]] std::string of(const std::string& id, const StopToken& stop);

private:
    struct Hashed {
        std::vector<memory::WeightFile> files{};
        files::DigestedPart part = files::DigestedPart::All;
        size_t shownDigits = 0;

        [[nodiscard]] std::vector<std::string> paths() const;
    };

    /// Without files: not known.
    [[nodiscard]] Hashed hashed(const std::string& id) const;

    const std::shared_ptr<files::FileDigests> digests_;
    mutable std::mutex mutex_;
    std::map<std::string, Hashed> hashed_;
    std::map<std::string, std::string> made_;
};

}  // namespace lowtide::models
