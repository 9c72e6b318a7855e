#include "plugin/residency/host_weight_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/storage_elements.hpp"
#include "plugin/residency/storage_sources.hpp"

#include <algorithm>
#include <cstdint>

namespace lowtide::residency {

namespace {

bool isSame(const files::FileIdentity& now, const memory::WeightFile& file) {
    return now.size == file.size && now.modifiedNanoseconds == file.modifiedNanoseconds &&
           now.inode == file.inode;
}

[[noreturn]] void refuseChanged(const Message& problem) {
    throw Error(
        ErrorKind::Corrupt, problem, message("make the file whole again and run once more"));
}

/// Reads one storage piece by piece, as one type.
class StorageReader {
public:
    StorageReader(StorageElements elements,
                  DType type,
                  std::shared_ptr<Upload> upload,
                  StopToken stop)
        : elements_(std::move(elements)),
          type_(type),
          upload_(std::move(upload)),
          stop_(std::move(stop)) {}

    bool operator()(std::byte* target, Bytes offset, Bytes count) const {
        const int64_t step = elements_.goodCount(type_);
        const Bytes size = sizeOf(type_);
        const int64_t end = (offset + count) / size;
        for (int64_t first = offset / size; first < end; first += step) {
            if (upload_->isAbandoned.load(std::memory_order_relaxed)) {
                upload_->isPartial = true;
                return false;
            }
            const int64_t piece = std::min(step, end - first);
            elements_.read(target + first * size - offset, type_, first, piece, stop_);
        }
        return true;
    }

private:
    StorageElements elements_;
    DType type_;
    std::shared_ptr<Upload> upload_;
    StopToken stop_;
};

}  // namespace

void HostWeightStore::open(const memory::ComponentTree& tree) {
    Files files;
    for (const memory::WeightFile& file : tree.files) {
        files.push_back(fileFor(file));
    }
    OpenTree& opened = trees_[tree.id];
    if (opened.files != files || opened.isValid.size() != tree.storages.size()) {
        opened = {.files = std::move(files), .isValid = std::vector(tree.storages.size(), false)};
    }
}

void HostWeightStore::ensureOpen(const memory::ComponentTree& tree) {
    if (!trees_.contains(tree.id)) {
        open(tree);
    }
}

std::shared_ptr<const files::InputFile> HostWeightStore::fileFor(
    const memory::WeightFile& file) const {
    for (const auto& [id, tree] : trees_) {
        for (const auto& known : tree.files) {
            if (known->path() == file.path && isSame(known->identity(), file) &&
                isSame(known->identityNow(), file) && !known->isTruncated()) {
                return known;
            }
        }
    }
    auto opened = std::make_shared<const files::InputFile>(file.path);
    if (!isSame(opened->identity(), file)) {
        throw Error(ErrorKind::Corrupt,
                    message("the weight file {} was changed since it was opened", opened->name()),
                    message("load the model again"));
    }
    return opened;
}

void HostWeightStore::close(const memory::ComponentTree& tree) {
    trees_.erase(tree.id);
}

void HostWeightStore::closeOthers(std::span<const std::string> ids) {
    std::erase_if(trees_, [&](const auto& entry) {
        return std::find(ids.begin(), ids.end(), entry.first) == ids.end();
    });
}

const std::shared_ptr<const files::InputFile>& HostWeightStore::fileOf(
    const memory::ComponentTree& tree, memory::StorageId storage) const {
    const auto found = trees_.find(tree.id);
    LOWTIDE_ASSERT(found != trees_.end());
    return found->second.files[tree.storages[storage].file];
}

/// nullptr when there is none, and when a control node closed them: whoever uses them again opens
/// and checks them.
const files::InputFile* HostWeightStore::changedFile(const memory::ComponentTree& tree) const {
    const auto found = trees_.find(tree.id);
    if (found == trees_.end()) {
        return nullptr;
    }
    const Files& files = found->second.files;
    const auto changed = std::find_if(
        files.begin(), files.end(), [](const auto& file) { return !file->isUnchanged(); });
    return changed == files.end() ? nullptr : changed->get();
}

void HostWeightStore::requireUnchanged(const memory::ComponentTree& tree) const {
    if (const files::InputFile* file = changedFile(tree)) {
        refuseChanged(message(
            "{}: the weight file {} was changed while it was used", tree.role, file->name()));
    }
}

bool HostWeightStore::isUnchanged(const memory::ComponentTree& tree) const {
    return changedFile(tree) == nullptr;
}

void HostWeightStore::requireNotTruncated(const memory::ComponentTree& tree,
                                          memory::StorageId storage) const {
    const files::InputFile& file = *fileOf(tree, storage);
    if (file.isTruncated()) {
        refuseChanged(message("{}.{}: the weight file {} was cut off while it was used",
                              tree.role,
                              tree.storages[storage].key,
                              file.name()));
    }
}

void HostWeightStore::requireMappedFinite(const memory::ComponentTree& tree,
                                          memory::StorageId storage,
                                          const std::byte* mapped) const {
    const memory::Storage& bytes = tree.storages[storage];
    requireFinite(tree.role, bytes, *fileOf(tree, storage), mapped, bytes.elementCount);
}

HeldBytes HostWeightStore::mappedEncoded(const memory::ComponentTree& tree,
                                         memory::StorageId storage) const {
    const memory::Storage& stored = tree.storages[storage];
    // As HeldWeights::mappedAddress: the map is read-only.
    std::byte* map = const_cast<std::byte*>(fileOf(tree, storage)->map());
    HeldBytes held{.tensor = &*stored.encoded,
                   .elementCount = stored.elementCount,
                   .blocks = map + stored.fileOffset};
    for (const memory::Companion& companion : stored.encoded->companions) {
        held.companions.push_back(map + companion.fileOffset);
    }
    return held;
}

void HostWeightStore::requireMappedValid(const memory::ComponentTree& tree,
                                         memory::StorageId storage) {
    std::vector<bool>& isValid = trees_.at(tree.id).isValid;
    if (isValid[storage]) {
        return;
    }
    const HeldBytes held = mappedEncoded(tree, storage);
    const HeldPart all(held, {0, held.elementCount});
    requireValid(tree.role, tree.storages[storage], *fileOf(tree, storage), all.stored());
    isValid[storage] = true;
}

const std::byte* HostWeightStore::mapped(const memory::ComponentTree& tree,
                                         memory::StorageId storage) const {
    const memory::Storage& bytes = tree.storages[storage];
    const std::byte* map = fileOf(tree, storage)->map();
    if (!map || (bytes.encoded && !bytes.isKeptEncoded)) {
        return nullptr;
    }
    const std::byte* address = map + bytes.fileOffset;
    if (bytes.encoded) {
        return address;
    }
    const bool isAligned =
        reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(sizeOf(bytes.fileType)) == 0;
    return isAligned ? address : nullptr;
}

void HostWeightStore::willNeed(const memory::ComponentTree& tree,
                               memory::StorageId storage) const noexcept {
    const memory::Storage& bytes = tree.storages[storage];
    if (const auto found = trees_.find(tree.id); found != trees_.end()) {
        found->second.files[bytes.file]->willNeed(bytes.fileOffset, bytes.fileBytes());
    }
}

void HostWeightStore::dontNeed(const memory::ComponentTree& tree,
                               memory::StorageId storage) const noexcept {
    const memory::Storage& bytes = tree.storages[storage];
    if (const auto found = trees_.find(tree.id); found != trees_.end()) {
        found->second.files[bytes.file]->dontNeed(bytes.fileOffset, bytes.fileBytes());
    }
}

ByteSource HostWeightStore::source(const memory::ComponentTree& tree,
                                   memory::StorageId storage,
                                   DType type,
                                   std::span<std::byte> scratch,
                                   std::shared_ptr<Upload> upload,
                                   const StopToken& stop) const {
    const memory::Storage& stored = tree.storages[storage];
    if (stored.isKeptEncoded) {
        return heldSource(fileOf(tree, storage), tree.role, stored, std::move(upload), stop);
    }
    if (stored.scaleCount > 0) {
        return scaledSource(
            fileOf(tree, storage), tree.role, stored, scratch, std::move(upload), stop);
    }
    return StorageReader(StorageElements(fileOf(tree, storage), tree.role, stored, scratch),
                         type,
                         std::move(upload),
                         stop);
}

void HostWeightStore::readElements(const memory::ComponentTree& tree,
                                   memory::StorageId storage,
                                   DType type,
                                   int64_t first,
                                   int64_t count,
                                   std::byte* target,
                                   const StopToken& stop) const {
    const memory::Storage& stored = tree.storages[storage];
    std::vector<std::byte> scratch(
        static_cast<size_t>(StorageElements::scratchBytes(stored, type, first, count)));
    const StorageElements elements(fileOf(tree, storage), tree.role, stored, scratch);
    elements.read(target, type, first, count, stop);
}

}  // namespace lowtide::residency
