#include "plugin/models/unchanged_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/weight_map.hpp"

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

}  // namespace lowtide::models
