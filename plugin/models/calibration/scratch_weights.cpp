#include "plugin/models/calibration/scratch_weights.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"

#include <filesystem>
#include <random>

namespace lowtide::models {

namespace {

/// Of its own for every process that measures at the same time.
std::string newPath(const std::string& folder) {
    std::random_device random;
    return (std::filesystem::path(folder) /
            ("calibration-" + std::to_string(random()) + ".weights"))
        .string();
}

void writeZeros(const std::string& path) {
    const std::vector<std::byte> zeros(static_cast<size_t>(kMiB));
    files::OutputFile file(path);
    for (Bytes written = 0; written < ScratchWeights::kBytes; written += kMiB) {
        file.write(zeros);
    }
    file.commit();
}

}  // namespace

ScratchWeights::ScratchWeights(const std::string& folder) : file_{.path = newPath(folder)} {
    writeZeros(file_.path);
    const files::InputFile written(file_.path);
    file_.size = written.identity().size;
    file_.modifiedNanoseconds = written.identity().modifiedNanoseconds;
    file_.inode = written.identity().inode;
    file_.isLocal = written.isLocal();
}

ScratchWeights::~ScratchWeights() {
    std::error_code ignored;  // what stays is found by its name
    std::filesystem::remove(file_.path, ignored);
}

std::shared_ptr<const memory::ComponentTree> treeOf(const CopiedWeights& weights,
                                                    const ScratchWeights& scratch) {
    auto tree = std::make_shared<memory::ComponentTree>();
    tree->id = "calibration of " + weights.role;
    tree->role = weights.role;
    tree->network = "Calibration";
    tree->files = {scratch.file()};
    tree->files[0].isLocal = scratch.file().isLocal && weights.mayBeMapped;
    const Bytes bytes = weights.elements * sizeOf(weights.fileType);
    const int64_t places = ScratchWeights::kBytes / bytes;
    for (int64_t i = 0; i < weights.leaves; ++i) {
        const std::string name = "leaf" + std::to_string(i);
        tree->storages.push_back({.key = name,
                                  .fileOffset = i % places * bytes,
                                  .fileType = weights.fileType,
                                  .elementCount = weights.elements});
        tree->weights.push_back({.name = name + ".weight",
                                 .storage = static_cast<memory::StorageId>(i),
                                 .shape = {weights.elements}});
        tree->leaves.push_back({.name = name, .weights = {static_cast<memory::WeightId>(i)}});
    }
    return tree;
}

}  // namespace lowtide::models
