#include "plugin/checkpoints/weight_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/quantised/fold_quantised.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/files/torch_file.hpp"
#include "plugin/files/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

TensorLocation locationOf(const files::TensorInfo& info, bool isRowMajor) {
    return {
        .offset = info.offset, .type = info.type, .shape = info.shape, .isRowMajor = isRowMajor};
}

/// A bare pickle: how torch.save wrote until 1.5.
bool isBarePickle(const files::ReadableBytes& bytes) {
    std::array<std::byte, 2> start{};
    if (bytes.size() < static_cast<Bytes>(start.size())) {
        return false;
    }
    bytes.read(start, 0);
    const auto protocol = std::to_integer<int>(start[1]);
    return start[0] == std::byte{0x80} && protocol >= 2 && protocol <= 5;
}

/// A file that calls itself so and is nothing else that is read is refused as what it claims to be.
bool isGguf(const files::ReadableBytes& bytes) {
    return files::looksLikeGguf(bytes) ||
           (toLower(bytes.name()).ends_with(".gguf") && !files::looksLikeSafetensors(bytes));
}

constexpr std::string_view kShapePrefix = "comfy.gguf.orig_shape.";

std::optional<DType> plainType(files::GgmlType type) {
    switch (type) {
        case files::GgmlType::F64:
            return DType::F64;
        case files::GgmlType::F32:
            return DType::F32;
        case files::GgmlType::F16:
            return DType::F16;
        case files::GgmlType::BF16:
            return DType::BF16;
        case files::GgmlType::I64:
            return DType::I64;
        case files::GgmlType::I32:
            return DType::I32;
        case files::GgmlType::I16:
            return DType::I16;
        case files::GgmlType::I8:
            return DType::I8;
        default:
            return std::nullopt;
    }
}

/// "Q4_K" -> "q4_k".
std::string encodingName(std::string_view type) {
    std::string name(type);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return name;
}

/// As converters stated it, else as it lies in the file.
Shape statedShape(const files::GgufHeader& header,
                  const files::GgufTensor& tensor,
                  const std::string& what) {
    const auto stated = header.metadata.integers(std::string(kShapePrefix) + tensor.name);
    if (!stated) {
        return tensor.shape;
    }
    const bool isPositive =
        std::all_of(stated->begin(), stated->end(), [](int64_t size) { return size > 0; });
    if (!isPositive || elementCount(*stated) != elementCount(tensor.shape)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: is {} in the file, its metadata state {}",
                            what,
                            toText(tensor.shape),
                            toText(*stated)),
                    message("get the file again, or choose another one"));
    }
    return *stated;
}

TensorLocation locationOfTensor(const files::GgufHeader& header,
                                const files::GgufTensor& tensor,
                                const std::string& what) {
    TensorLocation location{.offset = tensor.offset, .shape = statedShape(header, tensor, what)};
    if (const std::optional<DType> plain = plainType(tensor.type)) {
        location.type = *plain;
        return location;
    }
    const files::GgmlTypeInfo& info = files::infoOf(tensor.type);
    const std::string encoding = encodingName(info.name);
    if (!info.name.starts_with('Q') || !encodings::findEncoding(encoding)) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: is quantised as {}, which is not read", what, info.name),
                    message("choose a file in Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 or Q2_K to Q6_K"));
    }
    location.encoded = {.encoding = encoding,
                        .blockElements = info.elementsPerBlock,
                        .blockBytes = info.bytesPerBlock,
                        .columns = tensor.shape.back()};
    return location;
}

struct GgufTensors {
    TensorLocations tensors;
    FileMetadata metadata;
};

/// All tensors of a GGUF file under its own names, quantised ones encoded, and its metadata's
/// texts. Error{Unsupported} names a tensor whose type is not read, Error{Corrupt} one whose stated
/// shape has not as many numbers.
GgufTensors openGguf(const files::InputFile& file) {
    const files::GgufHeader header = files::readGgufHeader(file);
    GgufTensors opened;
    for (const files::GgufTensor& tensor : header.tensors) {
        const std::string what = quotedName(file.name()) + ", " + quotedName(tensor.name);
        opened.tensors.emplace(tensor.name, locationOfTensor(header, tensor, what));
    }
    for (const auto& [key, value] : header.metadata.entries()) {
        if (const std::optional<std::string> text = value.text()) {
            opened.metadata.emplace(key, *text);
        }
    }
    return opened;
}

}  // namespace

WeightFileHeader openWeightFile(const std::string& path) {
    if (isShardIndex(path)) {
        return openSharded(path, quotedName(files::lastPart(path)));
    }
    if (const std::optional<ShardName> shard = shardNameOf(path)) {
        return openShardsOf(path, *shard);
    }
    return openOneFile(path);
}

WeightFileHeader openOneFile(const std::string& path) {
    const files::InputFile file(path);
    const files::FileBytes bytes(file);
    WeightFileHeader opened{
        .map = {.what = quotedName(file.name()), .files = {stampOf(file)}, .tensors = {}},
        .metadata = {}};
    if (files::looksLikeZip(bytes) || files::looksLikeLegacyTorch(bytes)) {
        files::TorchHeader header = files::readTorchHeader(bytes);
        for (const auto& [name, tensor] : header.tensors) {
            opened.map.tensors.emplace(name, locationOf(tensor.info, tensor.strides.empty()));
        }
        opened.metadata = std::move(header.metadata);
        return opened;
    }
    if (isBarePickle(bytes)) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is a bare pickle, which torch.save does not write: it holds no "
                            "weights that are read",
                            quotedName(file.name())),
                    message("load and save it with PyTorch, or take its safetensors version"));
    }
    if (isGguf(bytes)) {
        GgufTensors gguf = openGguf(file);
        opened.map.tensors = std::move(gguf.tensors);
        opened.metadata = std::move(gguf.metadata);
        return opened;
    }
    files::SafetensorsHeader header = files::readSafetensorsHeader(bytes);
    for (const auto& [name, info] : header.tensors) {
        opened.map.tensors.emplace(name, locationOf(info, true));
    }
    opened.metadata = std::move(header.metadata);
    opened.folded = foldQuantised(opened.map.tensors, opened.metadata, file);
    return opened;
}

namespace {

constexpr Bytes kLargestIndex = 64 * kMiB;
constexpr int64_t kMostShards = 1000;

using FilesByTensor = std::map<std::string, std::string>;

/// A shard lies next to its index; a name that leads elsewhere is refused.
void checkShardName(const std::string& index, const std::string& name) {
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
        throw Error(
            ErrorKind::Corrupt,
            message("{}: weight_map names \"{}\", which is no file next to it", index, name),
            message("get the checkpoint again"));
    }
}

FilesByTensor readIndex(const std::string& path, const std::string& what) {
    const std::string text = files::InputFile(path).readAll(kLargestIndex);
    files::refuseStandIn(text, what);
    const Json json = parseJson(text, what);
    const Json* names = JsonReader(json, what).member("weight_map");
    if (!names || !names->is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: there is no weight_map", what),
                    message("get the file again"));
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
                        message("{}: {} is in {}, but {}, which decodes it, in {}",
                                what,
                                quotedName(weight->first),
                                quotedName(weight->second),
                                quotedName(name),
                                quotedName(file)),
                        message("save the component as one file (diffusers: save_pretrained with a "
                                "larger max_shard_size), or take another quantised file"));
        }
    }
}

/// The header of one more file of the map, whose tensors are in it.
WeightFileHeader openShard(const std::string& path, WeightMap& map) {
    WeightFileHeader shard = openOneFile(path);
    for (auto& [name, location] : shard.map.tensors) {
        location.file = static_cast<uint32_t>(map.files.size());
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
        const auto location = shard.map.tensors.find(name);
        if (location == shard.map.tensors.end() && shard.folded.contains(name)) {
            continue;
        }
        if (location == shard.map.tensors.end()) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: {} has no tensor \"{}\"", what, file, name),
                        message("get all shards of the same checkpoint"));
        }
        map.tensors.insert(*location);
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
                    message("{} is one of {} files of a model; its folder lacks {}",
                            quotedName(own),
                            name.count,
                            listSome(missing)),
                    message("put all of them into one folder"));
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
