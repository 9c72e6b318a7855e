#include "plugin/models/blocks/weight_map.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/models/quantised/fold_quantised.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestIndex = 64 * kMiB;

/// One file of the map.
struct Shard {
    TensorPlaces tensors;
    std::set<std::string> folded;  ///< names of what belongs to quantised weights
};

memory::WeightFile stampWith(const std::string& path, const files::FileStamp& stamp) {
    return {.path = path,
            .size = stamp.identity.size,
            .modifiedNanoseconds = stamp.identity.modifiedNanoseconds,
            .inode = stamp.identity.inode,
            .isLocal = stamp.isLocal};
}

Shard openShard(const std::string& path, WeightMap& map) {
    const files::InputFile file(path);
    const files::SafetensorsHeader header = files::readSafetensorsHeader(file);
    Shard shard;
    for (const auto& [name, info] : header.tensors) {
        shard.tensors.emplace(
            name, TensorPlace{.offset = info.offset, .type = info.type, .shape = info.shape});
    }
    shard.folded = foldQuantised(shard.tensors, header.metadata, file);
    for (auto& [name, place] : shard.tensors) {
        place.file = static_cast<uint32_t>(map.files.size());
    }
    map.files.push_back(stampOf(file));
    return shard;
}

void addWhole(const std::string& path, WeightMap& map) {
    map.tensors.merge(openShard(path, map).tensors);
}

/// A shard lies beside its index; a name that leads elsewhere is refused.
void checkShardName(const std::string& index, const std::string& name) {
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
        throw Error(ErrorKind::Corrupt,
                    index + ": weight_map names \"" + name + "\", which is no file beside it",
                    "get the checkpoint again");
    }
}

/// The index of a sharded component: from names of tensors to those of files beside it.
std::map<std::string, std::string> readIndex(const fs::path& path, const std::string& what) {
    const Json json = parseJson(files::InputFile(path.string()).readAll(kLargestIndex), what);
    const Json* names = JsonReader(json, what).member("weight_map");
    if (!names || !names->is_object()) {
        throw Error(ErrorKind::Corrupt, what + ": there is no weight_map", "get the file again");
    }
    std::map<std::string, std::string> index;
    for (const auto& [name, value] : names->items()) {
        index[name] = value.is_string() ? value.get<std::string>() : std::string();
        checkShardName(what, index[name]);
    }
    return index;
}

/// A weight and what decodes it are read from one file.
void requireLayersWhole(const std::map<std::string, std::string>& index, const std::string& what) {
    for (const auto& [name, file] : index) {
        const auto weight = index.find(weightDecodedBy(name));
        if (weight != index.end() && weight->second != file) {
            throw Error(ErrorKind::Unsupported,
                        what + ": " + quotedName(weight->first) + " is in " +
                            quotedName(weight->second) + ", but " + quotedName(name) +
                            ", which decodes it, in " + quotedName(file),
                        "save the component as one file (diffusers: save_pretrained with a larger "
                        "max_shard_size), or take another quantised file");
        }
    }
}

void addSharded(const fs::path& path, WeightMap& map) {
    const std::string what = map.what + "/" + path.filename().string();
    const std::map<std::string, std::string> index = readIndex(path, what);
    requireLayersWhole(index, what);
    std::map<std::string, Shard> shards;
    for (const auto& [name, file] : index) {
        if (!shards.contains(file)) {
            shards.emplace(file, openShard((path.parent_path() / file).string(), map));
        }
        const Shard& shard = shards.at(file);
        const auto place = shard.tensors.find(name);
        if (place == shard.tensors.end() && shard.folded.contains(name)) {
            continue;
        }
        if (place == shard.tensors.end()) {
            throw Error(ErrorKind::Corrupt,
                        what + ": " + file + " has no tensor \"" + name + "\"",
                        "get all shards of the same checkpoint");
        }
        map.tensors.insert(*place);
    }
}

/// Names in `folder` that look like weights of a kind that is not read.
std::vector<std::string> foreignWeights(const fs::path& folder) {
    static constexpr std::string_view kEndings[] = {".bin", ".msgpack", ".ckpt", ".onnx", ".pt"};
    std::set<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        for (const std::string_view ending : kEndings) {
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
                    component + ": the weights are in " + listSome(foreign) +
                        ", only safetensors files are read",
                    "get the safetensors version of the checkpoint");
    }
    throw Error(ErrorKind::NotFound,
                component + ": there are no weights, neither " + stem + ".safetensors nor " + stem +
                    ".safetensors.index.json nor an fp16 variant",
                "complete the checkpoint's folder");
}

/// Where a component's weights are: one file, or the index of several.
struct FoundWeights {
    fs::path path;
    bool isIndex = false;
};

FoundWeights lookForWeights(const fs::path& folder,
                            const std::string& component,
                            const std::string& stem) {
    std::error_code ignored;
    for (const std::string variant : {"", ".fp16"}) {
        const fs::path whole = folder / (stem + variant + ".safetensors");
        if (fs::exists(whole, ignored)) {
            return {whole, false};
        }
        const fs::path index = folder / (stem + ".safetensors.index" + variant + ".json");
        if (fs::exists(index, ignored)) {
            return {index, true};
        }
    }
    refuseFolder(folder, component, stem);
}

}  // namespace

WeightMap openWeights(const std::string& root,
                      const std::string& component,
                      const std::string& stem) {
    const FoundWeights found = lookForWeights(fs::path(root) / component, component, stem);
    WeightMap map{.what = component, .files = {}, .tensors = {}};
    if (found.isIndex) {
        addSharded(found.path, map);
    } else {
        addWhole(found.path.string(), map);
    }
    return map;
}

std::vector<memory::WeightFile> findWeights(const std::string& root,
                                            const std::string& component,
                                            const std::string& stem) {
    const FoundWeights found = lookForWeights(fs::path(root) / component, component, stem);
    std::set<std::string> paths = {found.path.string()};
    if (found.isIndex) {
        paths.clear();
        const std::string what = component + "/" + found.path.filename().string();
        for (const auto& [name, file] : readIndex(found.path, what)) {
            paths.insert((found.path.parent_path() / file).string());
        }
    }
    std::vector<memory::WeightFile> stamps;
    for (const std::string& path : paths) {
        stamps.push_back(stampOf(path));
    }
    return stamps;
}

memory::WeightFile stampOf(const files::InputFile& file) {
    return stampWith(file.path(), {.identity = file.identity(), .isLocal = file.isLocal()});
}

memory::WeightFile stampOf(const std::string& path) {
    return stampWith(path, files::stampOfFile(path));
}

}  // namespace lowtide::models
