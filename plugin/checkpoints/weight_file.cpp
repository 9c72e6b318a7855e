#include "plugin/checkpoints/weight_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/quantised/fold_quantised.hpp"
#include "plugin/checkpoints/quantised/gguf_tensors.hpp"
#include "plugin/checkpoints/sharded_weights.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/legacy_torch.hpp"
#include "plugin/files/path_parts.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/files/torch_file.hpp"
#include "plugin/files/zip_directory.hpp"

#include <array>
#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

TensorPlace placeOf(const files::TensorInfo& info, bool isRowMajor) {
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

/// A file that calls itself so and is nothing else that is read is refused as what it says to be.
bool isGguf(const files::ReadableBytes& bytes) {
    return files::looksLikeGguf(bytes) ||
           (toLower(bytes.name()).ends_with(".gguf") && !files::looksLikeSafetensors(bytes));
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
            opened.map.tensors.emplace(name, placeOf(tensor.info, tensor.strides.empty()));
        }
        opened.metadata = std::move(header.metadata);
        return opened;
    }
    if (isBarePickle(bytes)) {
        throw Error(ErrorKind::Unsupported,
                    quotedName(file.name()) +
                        " is a bare pickle, which torch.save does not write: it holds no weights "
                        "that are read",
                    "load and save it with PyTorch, or take its safetensors version");
    }
    if (isGguf(bytes)) {
        GgufTensors gguf = openGguf(file);
        opened.map.tensors = std::move(gguf.tensors);
        opened.metadata = std::move(gguf.metadata);
        return opened;
    }
    files::SafetensorsHeader header = files::readSafetensorsHeader(bytes);
    for (const auto& [name, info] : header.tensors) {
        opened.map.tensors.emplace(name, placeOf(info, true));
    }
    opened.metadata = std::move(header.metadata);
    opened.folded = foldQuantised(opened.map.tensors, opened.metadata, file);
    return opened;
}

}  // namespace lowtide::models
