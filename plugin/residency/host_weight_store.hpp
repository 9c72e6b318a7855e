#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/residency/device/device.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
struct WeightFile;
}  // namespace lowtide::memory

namespace lowtide::residency {

/// One upload of a component: lets it be given up while copies are still queued.
struct Upload {
    std::atomic<bool> isAbandoned{
        false};                          ///< set by the run thread: the bytes are no longer wanted
    std::atomic<bool> isPartial{false};  ///< set by the copy thread: bytes were left out
};

/// The host weights: the files of component trees, opened once and never written. Run thread only;
/// sources may be called on copy threads and keep their file open.
class HostWeightStore {
public:
    /// Opens the files of `tree`. Error{Corrupt} names a file that is no longer the one the tree
    /// was made from.
    void open(const memory::ComponentTree& tree);
    /// The same, unless the tree is open: then its files remain those that a run began with, also
    /// when their paths lead elsewhere now.
    void ensureOpen(const memory::ComponentTree& tree);
    /// Closes the files of `tree` that no other open tree uses; their maps go too.
    void close(const memory::ComponentTree& tree);
    /// Closes every tree whose id is not in `ids`.
    void closeOthers(std::span<const std::string> ids);

    /// Error{Corrupt} names the first file of the open tree that was written to or cut off since it
    /// was opened. A file that was replaced or removed is still there for who has it open.
    void requireUnchanged(const memory::ComponentTree& tree) const;
    /// Whether requireUnchanged() succeeds.
    [[nodiscard]] bool isUnchanged(const memory::ComponentTree& tree) const;
    /// The same for what was seen while the storage's map was read; costs nothing.
    void requireNotTruncated(const memory::ComponentTree& tree, memory::StorageId storage) const;
    /// Error{Corrupt} where the storage is an adapter's and what lies at `mapped` is not finite;
    /// reads all of it.
    void requireMappedFinite(const memory::ComponentTree& tree,
                             memory::StorageId storage,
                             const std::byte* mapped) const;

    /// Where a storage that is held encoded lies in the map that mapped() found.
    [[nodiscard]] HeldBytes mappedEncoded(const memory::ComponentTree& tree,
                                          memory::StorageId storage) const;
    /// Error{Corrupt} as requireValid(), of what lies there; reads all of it, once while its file
    /// is open.
    void requireMappedValid(const memory::ComponentTree& tree, memory::StorageId storage);

    /// Where the storage lies in memory; nullptr when its file is not mapped or the address is not
    /// aligned.
    [[nodiscard]] const std::byte* mapped(const memory::ComponentTree& tree,
                                          memory::StorageId storage) const;
    void willNeed(const memory::ComponentTree& tree, memory::StorageId storage) const noexcept;
    void dontNeed(const memory::ComponentTree& tree, memory::StorageId storage) const noexcept;

    /// Reads one storage as `type`. `scratch` holds file bytes on their way (at least
    /// kScratchBytes) and is used by one call at a time. The source ends early, without an error,
    /// once the upload is abandoned.
    [[nodiscard]] ByteSource source(const memory::ComponentTree& tree,
                                    memory::StorageId storage,
                                    DType type,
                                    std::span<std::byte> scratch,
                                    std::shared_ptr<Upload> upload,
                                    const StopToken& stop) const;
    /// Reads elements [first, first + count) of a storage as `type`.
    void readElements(const memory::ComponentTree& tree,
                      memory::StorageId storage,
                      DType type,
                      int64_t first,
                      int64_t count,
                      std::byte* target,
                      const StopToken& stop) const;

    /// Small enough to remain in a core's cache between read and conversion.
    static constexpr Bytes kScratchBytes = memory::kConversionScratch;

private:
    using Files = std::vector<std::shared_ptr<const files::InputFile>>;

    struct OpenTree {
        Files files;
        std::vector<bool> isValid;  ///< per storage that is held encoded and is mapped
    };

    [[nodiscard]] const files::InputFile* changedFile(const memory::ComponentTree& tree) const;
    [[nodiscard]] std::shared_ptr<const files::InputFile> fileFor(
        const memory::WeightFile& file) const;
    [[nodiscard]] const std::shared_ptr<const files::InputFile>& fileOf(
        const memory::ComponentTree& tree, memory::StorageId storage) const;

    std::map<std::string, OpenTree, std::less<>> trees_;
};

}  // namespace lowtide::residency
