#include "plugin/checkpoints/unchanged_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::models {

bool areUnchanged(const std::vector<memory::WeightFile>& files) {
    return std::all_of(files.begin(), files.end(), [](const memory::WeightFile& file) {
        std::error_code missing;
        return std::filesystem::exists(file.path, missing) && stampOf(file.path) == file;
    });
}

void requireUnchanged(const std::vector<memory::WeightFile>& files, const std::string& what) {
    if (!areUnchanged(files)) {
        throw Error(ErrorKind::Corrupt,
                    what + ": the weights were changed since the checkpoint was opened",
                    "load the checkpoint again");
    }
}

std::string fingerprintOf(std::span<const memory::WeightFile> files) {
    Hasher hasher;
    for (const memory::WeightFile& file : files) {
        hasher.add(file.path).add(file.size).add(file.modifiedNanoseconds);
        hasher.add(static_cast<int64_t>(file.inode));
    }
    return hasher.hexDigest();
}

}  // namespace lowtide::models
