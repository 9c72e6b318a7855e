#include "plugin/checkpoints/weight_map.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

memory::WeightFile stampWith(const std::string& path, const files::FileStamp& stamp) {
    return {.path = path,
            .size = stamp.identity.size,
            .modifiedNanoseconds = stamp.identity.modifiedNanoseconds,
            .inode = stamp.identity.inode,
            .isLocal = stamp.isLocal};
}

/// Variants that users have in one folder: "fp16" of "model.fp16.safetensors".
constexpr const char* kUsualVariant = "fp16";
constexpr std::string_view kSafetensors = ".safetensors";

/// How a component's weights may be called.
struct WeightName {
    std::string stem;    ///< "diffusion_pytorch_model"
    std::string ending;  ///< ".safetensors", or as torch.save writes them
};

/// Where a component's weights are: one file, or the index of several.
struct FoundWeights {
    fs::path path;
    bool isIndex = false;
};

std::string withVariant(const std::string& start, const std::string& variant, const char* end) {
    return start + (variant.empty() ? "" : "." + variant) + end;
}

/// "" is the one without a name.
std::optional<FoundWeights> ofVariant(const fs::path& folder,
                                      const WeightName& name,
                                      const std::string& variant) {
    std::error_code ignored;
    const fs::path whole = folder / withVariant(name.stem, variant, name.ending.c_str());
    if (fs::exists(whole, ignored)) {
        return FoundWeights{whole, false};
    }
    const fs::path index =
        folder / withVariant(name.stem + name.ending + ".index", variant, ".json");
    return fs::exists(index, ignored) ? std::optional(FoundWeights{index, true}) : std::nullopt;
}

/// "bf16" of "model.bf16.safetensors" and of "model.safetensors.index.bf16.json"; empty: it is none
/// of them.
std::string variantIn(const std::string& file, const WeightName& name) {
    const auto between = [&](const std::string& start, const std::string& end) {
        const bool isOne = file.size() > start.size() + end.size() + 1 &&
                           file.starts_with(start + ".") && file.ends_with(end);
        const std::string variant =
            isOne ? file.substr(start.size() + 1, file.size() - start.size() - end.size() - 1) : "";
        return variant.find('.') == variant.npos && !shardNameOf(file) ? variant : std::string();
    };
    const std::string ofIndex = between(name.stem + name.ending + ".index", ".json");
    return ofIndex.empty() ? between(name.stem, name.ending) : ofIndex;
}

std::set<std::string> variantsIn(const fs::path& folder, const WeightName& name) {
    std::set<std::string> variants;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        variants.insert(variantIn(entry.path().filename().string(), name));
    }
    variants.erase("");
    return variants;
}

std::optional<FoundWeights> weightsNamed(const fs::path& folder,
                                         const std::string& component,
                                         const WeightName& name) {
    for (const char* variant : {"", kUsualVariant}) {
        if (const auto found = ofVariant(folder, name, variant)) {
            return found;
        }
    }
    const std::set<std::string> variants = variantsIn(folder, name);
    if (variants.size() > 1) {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: its weights are there as {}, and nothing states which to take",
                    component,
                    join(std::vector<std::string>(variants.begin(), variants.end()), ", ")),
            message(
                "leave one of them in the folder, or rename it to {}{}", name.stem, name.ending));
    }
    return variants.empty() ? std::nullopt : ofVariant(folder, name, *variants.begin());
}

/// Names in `folder` that look like weights of a kind that is not read.
std::vector<std::string> foreignWeights(const fs::path& folder) {
    static constexpr std::string_view kForeignEndings[] = {
        ".msgpack", ".ckpt", ".onnx", ".pt", ".h5"};
    std::set<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        for (const std::string_view ending : kForeignEndings) {
            if (name.ends_with(ending)) {
                found.insert(name);
            }
        }
    }
    return {found.begin(), found.end()};
}

[[noreturn]] void refuseFolder(const fs::path& folder,
                               const std::string& component,
                               const std::string& stem) {
    const std::vector<std::string> foreign = foreignWeights(folder);
    if (!foreign.empty()) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: the weights are in {}, only safetensors and .bin files are read",
                            component,
                            listSome(foreign)),
                    message("get the safetensors version of the checkpoint"));
    }
    throw Error(ErrorKind::NotFound,
                message("{}: there are no weights, neither {}.safetensors nor "
                        "{}.safetensors.index.json nor a variant of them",
                        component,
                        stem,
                        stem),
                message("complete the checkpoint's folder"));
}

/// safetensors first, then what torch.save wrote.
std::optional<FoundWeights> someWeights(const fs::path& folder,
                                        const std::string& component,
                                        const std::string& stem) {
    const std::string torchStem = stem == "model" ? "pytorch_model" : stem;
    for (const WeightName& name :
         {WeightName{stem, std::string(kSafetensors)}, WeightName{torchStem, ".bin"}}) {
        if (const auto found = weightsNamed(folder, component, name)) {
            return found;
        }
    }
    return std::nullopt;
}

FoundWeights lookForWeights(const fs::path& folder,
                            const std::string& component,
                            const std::string& stem) {
    if (const auto found = someWeights(folder, component, stem)) {
        return *found;
    }
    refuseFolder(folder, component, stem);
}

/// The only file of a folder that `isWanted`.
template <class IsWanted>
std::string onlyFileIn(const fs::path& folder, const IsWanted& isWanted) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (isWanted(entry.path().filename().string())) {
            found.push_back(entry.path().string());
        }
    }
    return found.size() == 1 ? found.front() : std::string();
}

}  // namespace

WeightMap openWeights(const std::string& root,
                      const std::string& component,
                      const std::string& stem) {
    const FoundWeights found = lookForWeights(fs::path(root) / component, component, stem);
    WeightMap map =
        found.isIndex
            ? openSharded(found.path.string(), component + "/" + found.path.filename().string()).map
            : openOneFile(found.path.string()).map;
    map.what = component;
    return map;
}

std::vector<memory::WeightFile> findWeights(const std::string& root,
                                            const std::string& component,
                                            const std::string& stem) {
    const FoundWeights found = lookForWeights(fs::path(root) / component, component, stem);
    std::set<std::string> paths = {found.path.string()};
    if (found.isIndex) {
        paths = shardsOf(found.path.string(), component + "/" + found.path.filename().string());
    }
    std::vector<memory::WeightFile> stamps;
    for (const std::string& path : paths) {
        stamps.push_back(stampOf(path));
    }
    return stamps;
}

std::string networkFileIn(const std::string& folder) {
    for (const char* stem : {"diffusion_pytorch_model", "model"}) {
        if (const auto found = someWeights(folder, files::lastPart(folder), stem)) {
            return found->path.string();
        }
    }
    std::string only = onlyFileIn(folder, isShardIndex);
    std::error_code ignored;
    if (only.empty() && fs::exists(fs::path(folder) / "config.json", ignored)) {
        only = onlyFileIn(folder, [](const std::string& name) {
            return name.ends_with(kSafetensors) && !shardNameOf(name);
        });
    }
    return only;
}

memory::WeightFile stampOf(const files::InputFile& file) {
    return stampWith(file.path(), {.identity = file.identity(), .isLocal = file.isLocal()});
}

memory::WeightFile stampOf(const std::string& path) {
    return stampWith(path, files::stampOfFile(path));
}

bool areUnchanged(const std::vector<memory::WeightFile>& files) {
    return std::all_of(files.begin(), files.end(), [](const memory::WeightFile& file) {
        std::error_code missing;
        return std::filesystem::exists(file.path, missing) && stampOf(file.path) == file;
    });
}

void requireUnchanged(const std::vector<memory::WeightFile>& files, const Message& what) {
    if (!areUnchanged(files)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: the weights were changed since the checkpoint was opened", what),
                    message("load the checkpoint again"));
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
