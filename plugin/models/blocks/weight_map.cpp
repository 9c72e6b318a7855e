#include "plugin/models/blocks/weight_map.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestIndex = 64 * kMiB;

/// One opened file with its header, and its number in the map.
struct Shard {
    uint32_t number;
    files::SafetensorsHeader header;
};

Shard openShard(const std::string& path, WeightMap& map) {
    const files::InputFile file(path);
    Shard shard{static_cast<uint32_t>(map.files.size()), files::readSafetensorsHeader(file)};
    const files::FileIdentity& identity = file.identity();
    map.files.push_back({.path = path,
                         .size = identity.size,
                         .modifiedNanoseconds = identity.modifiedNanoseconds,
                         .inode = identity.inode,
                         .isLocal = file.isLocal()});
    return shard;
}

TensorPlace placeOf(const files::TensorInfo& info, uint32_t file) {
    return {.file = file, .offset = info.offset, .type = info.type, .shape = info.shape};
}

void addWhole(const std::string& path, WeightMap& map) {
    const Shard shard = openShard(path, map);
    for (const auto& [name, info] : shard.header.tensors) {
        map.tensors.emplace(name, placeOf(info, shard.number));
    }
}

/// A shard lies beside its index; a name that leads elsewhere is refused.
void checkShardName(const std::string& index, const std::string& name) {
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
        throw Error(ErrorKind::Corrupt,
                    index + ": weight_map names \"" + name + "\", which is no file beside it",
                    "get the checkpoint again");
    }
}

void addSharded(const fs::path& folder, const std::string& index, WeightMap& map) {
    const std::string what = map.what + "/" + index;
    const std::string text = files::InputFile((folder / index).string()).readAll(kLargestIndex);
    const Json json = parseJson(text, what);
    const Json* names = JsonReader(json, what).member("weight_map");
    if (!names || !names->is_object()) {
        throw Error(ErrorKind::Corrupt, what + ": there is no weight_map", "get the file again");
    }
    std::map<std::string, Shard> shards;
    for (const auto& [name, value] : names->items()) {
        const std::string file = value.is_string() ? value.get<std::string>() : std::string();
        checkShardName(what, file);
        if (!shards.contains(file)) {
            shards.emplace(file, openShard((folder / file).string(), map));
        }
        const Shard& shard = shards.at(file);
        const auto info = shard.header.tensors.find(name);
        if (info == shard.header.tensors.end()) {
            throw Error(ErrorKind::Corrupt,
                        what + ": " + file + " has no tensor \"" + name + "\"",
                        "get all shards of the same checkpoint");
        }
        map.tensors.emplace(name, placeOf(info->second, shard.number));
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

}  // namespace

WeightMap openWeights(const std::string& root,
                      const std::string& component,
                      const std::string& stem) {
    const fs::path folder = fs::path(root) / component;
    WeightMap map{.what = component, .files = {}, .tensors = {}};
    std::error_code ignored;
    for (const std::string variant : {"", ".fp16"}) {
        const std::string whole = stem + variant + ".safetensors";
        if (fs::exists(folder / whole, ignored)) {
            addWhole((folder / whole).string(), map);
            return map;
        }
        const std::string index = stem + ".safetensors.index" + variant + ".json";
        if (fs::exists(folder / index, ignored)) {
            addSharded(folder, index, map);
            return map;
        }
    }
    refuseFolder(folder, component, stem);
}

}  // namespace lowtide::models
