#include "ui/models/model_walk.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/downloads.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;
constexpr std::array<std::string_view, 5> kEndings = {
    ".safetensors", ".gguf", ".ckpt", ".pth", ".pt"};

/// "model-00002-of-00006.safetensors", of which the first stands for all.
bool isLaterShard(const fs::path& path) {
    constexpr std::string_view kOf = "-of-";
    constexpr size_t kDigits = 5;
    const std::string stem = path.stem().string();
    const size_t of = stem.rfind(kOf);
    if (of == stem.npos || of < kDigits + 1 || stem.size() != of + kOf.size() + kDigits) {
        return false;
    }
    const std::string number = stem.substr(of - kDigits, kDigits);
    const bool isNumber = number.find_first_not_of("0123456789") == number.npos;
    return isNumber && stem[of - kDigits - 1] == '-' && number != "00001";
}

}  // namespace

bool hasWeightsEnding(const fs::path& path) {
    const std::string ending = toLower(path.extension().string());
    return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool ModelWalk::enter(const fs::path& folder, const fs::path& relative, int depth) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    if (failure || depth > kDeepest || !visited_.insert(real).second) {
        return true;
    }
    if (const auto snapshot = files::hubSnapshot(folder.string())) {
        const fs::path named = relative.parent_path() / files::hubName(folder.string());
        return enter(*snapshot, named, depth + 1);
    }
    if (fs::exists(folder / "model_index.json", failure)) {
        const fs::path named = relative.empty() ? folder.filename() : relative;
        return visit_({.path = folder.string(), .relative = named.string(), .isFolder = true});
    }
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        const fs::path path = it->path();
        const fs::path named = relative / path.filename();
        std::error_code ignored;
        if (it->is_directory(ignored)) {
            if (!enter(path, named, depth + 1)) {
                return false;
            }
        } else if (isWeights_(path) && !isLaterShard(path) && it->is_regular_file(ignored) &&
                   !visit_({.path = path.string(), .relative = named.string()})) {
            return false;
        }
    }
    return true;
}

}  // namespace lowtide::ui
