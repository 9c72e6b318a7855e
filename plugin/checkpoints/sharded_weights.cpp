#include "plugin/checkpoints/sharded_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/quantised/fold_quantised.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/path_parts.hpp"
#include "plugin/files/stand_in.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr Bytes kLargestIndex = 64 * kMiB;
constexpr int64_t kMostShards = 1000;

using FilesByTensor = std::map<std::string, std::string>;

/// A shard lies beside its index; a name that leads elsewhere is refused.
void checkShardName(const std::string& index, const std::string& name) {
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
        throw Error(ErrorKind::Corrupt,
                    index + ": weight_map names \"" + name + "\", which is no file beside it",
                    "get the checkpoint again");
    }
}

FilesByTensor readIndex(const std::string& path, const std::string& what) {
    const std::string text = files::InputFile(path).readAll(kLargestIndex);
    files::refuseStandIn(text, what);
    const Json json = parseJson(text, what);
    const Json* names = JsonReader(json, what).member("weight_map");
    if (!names || !names->is_object()) {
        throw Error(ErrorKind::Corrupt, what + ": there is no weight_map", "get the file again");
    }
    FilesByTensor index;
    for (const auto& [name, value] : names->items()) {
        index[name] = value.is_string() ? value.get<std::string>() : std::string();
        checkShardName(what, index[name]);
    }
    return index;
}

/// A weight and what decodes it are read from one file.
void requireLayersWhole(const FilesByTensor& index, const std::string& what) {
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

/// The header of one more file of the map, whose tensors are in it.
WeightFileHeader openShard(const std::string& path, WeightMap& map) {
    WeightFileHeader shard = openOneFile(path);
    for (auto& [name, place] : shard.map.tensors) {
        place.file = static_cast<uint32_t>(map.files.size());
    }
    map.files.insert(map.files.end(), shard.map.files.begin(), shard.map.files.end());
    return shard;
}

/// Those of `name` that are not in its folder.
std::vector<std::string> missingShards(const std::string& path, const ShardName& name) {
    std::vector<std::string> missing;
    for (int64_t i = 1; i <= name.count; ++i) {
        std::error_code ignored;
        if (!std::filesystem::exists(files::folderOf(path) + "/" + name.of(i), ignored)) {
            missing.push_back(name.of(i));
        }
    }
    return missing;
}

}  // namespace

std::string ShardName::of(int64_t other) const {
    const auto padded = [](int64_t value) {
        constexpr size_t kDigits = 5;
        const std::string digits = std::to_string(value);
        return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
    };
    return stem + "-" + padded(other) + "-of-" + padded(count) + ending;
}

std::optional<ShardName> shardNameOf(const std::string& path) {
    static const std::regex kPattern(R"((.+)-(\d{5})-of-(\d{5})(\.[a-z]+))");
    const std::string name = files::lastPart(path);
    std::smatch parts;
    if (!std::regex_match(name, parts, kPattern)) {
        return std::nullopt;
    }
    const ShardName shard{.stem = parts[1],
                          .ending = parts[4],
                          .number = std::stoll(parts[2]),
                          .count = std::stoll(parts[3])};
    const bool isOne = shard.number >= 1 && shard.number <= shard.count;
    return isOne && shard.count > 1 && shard.count <= kMostShards ? std::optional(shard)
                                                                  : std::nullopt;
}

bool isShardIndex(const std::string& path) {
    const std::string name = files::lastPart(path);
    const size_t index = name.rfind(".index.");
    return name.ends_with(".json") && index != std::string::npos;
}

std::set<std::string> shardsOf(const std::string& index, const std::string& what) {
    std::set<std::string> paths;
    for (const auto& [tensor, file] : readIndex(index, what)) {
        paths.insert(files::folderOf(index) + "/" + file);
    }
    return paths;
}

WeightFileHeader openSharded(const std::string& path, const std::string& what) {
    const FilesByTensor index = readIndex(path, what);
    requireLayersWhole(index, what);
    WeightMap map{.what = what, .files = {}, .tensors = {}};
    std::map<std::string, WeightFileHeader> shards;
    for (const auto& [name, file] : index) {
        if (!shards.contains(file)) {
            shards.emplace(file, openShard(files::folderOf(path) + "/" + file, map));
        }
        const WeightFileHeader& shard = shards.at(file);
        const auto place = shard.map.tensors.find(name);
        if (place == shard.map.tensors.end() && shard.folded.contains(name)) {
            continue;
        }
        if (place == shard.map.tensors.end()) {
            throw Error(ErrorKind::Corrupt,
                        what + ": " + file + " has no tensor \"" + name + "\"",
                        "get all shards of the same checkpoint");
        }
        map.tensors.insert(*place);
    }
    return {.map = std::move(map), .metadata = {}};
}

WeightFileHeader openShardsOf(const std::string& path, const ShardName& name) {
    const std::string folder = files::folderOf(path);
    const std::string own = files::lastPart(path);
    const std::string index = folder + "/" + name.stem + name.ending + ".index.json";
    std::error_code ignored;
    if (std::filesystem::is_regular_file(index, ignored)) {
        return openSharded(index, quotedName(files::lastPart(index)));
    }
    if (const std::vector<std::string> missing = missingShards(path, name); !missing.empty()) {
        throw Error(ErrorKind::NotFound,
                    quotedName(own) + " is one of " + std::to_string(name.count) +
                        " files of a model; its folder lacks " + listSome(missing),
                    "put all of them into one folder");
    }
    WeightFileHeader model{.map = {.what = quotedName(own), .files = {}, .tensors = {}},
                           .metadata = {}};
    for (int64_t i = 1; i <= name.count; ++i) {
        WeightFileHeader shard = openShard(folder + "/" + name.of(i), model.map);
        model.map.tensors.merge(shard.map.tensors);
        model.metadata.merge(shard.metadata);
    }
    return model;
}

}  // namespace lowtide::models
