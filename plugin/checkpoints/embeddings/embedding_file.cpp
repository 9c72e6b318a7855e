#include "plugin/checkpoints/embeddings/embedding_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/known_names.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

namespace lowtide::models {

namespace {

/// torch.save keeps the whole table of which an embedding is a row: 150 MB for CLIP-L.
constexpr Bytes kLargestEmbeddingFile = 512 * kMiB;
constexpr const char* kGetAnother = "get the file again";

[[noreturn]] void refuseEmbedding(const WeightMap& file) {
    std::vector<std::string> names;
    for (const auto& [name, place] : file.tensors) {
        names.push_back(name);
    }
    const std::optional<KnownFile> known = knownByNames(file);
    const bool isOther = known && known->kind != "embedding";
    throw Error(ErrorKind::Unsupported,
                file.what + " is no embedding (textual inversion): " +
                    (names.empty() ? "there are no vectors in it"
                     : isOther     ? "it is of the kind " + known->family
                                   : "its tensors are " + listSome(names)),
                "an embedding is one tensor of vectors, or clip_l and clip_g; take other files out "
                "of the folder embeddings");
}

/// [n, width], or [width] for one vector.
Shape rowsOf(const WeightMap& file, const std::string& name) {
    const TensorPlace& place = file.tensors.at(name);
    const auto refuse = [&](const std::string& problem) {
        throw Error(
            ErrorKind::Corrupt, file.what + ", " + quotedName(name) + ": " + problem, kGetAnother);
    };
    const bool isFloat = place.type == DType::F32 || place.type == DType::F16 ||
                         place.type == DType::BF16 || place.type == DType::F64;
    if (!isFloat) {
        refuse("is " + std::string(nameOf(place.type)) + ", vectors are numbers with a point");
    }
    const size_t rank = place.shape.size();
    if (rank < 1 || rank > 2 || !place.isRowMajor) {
        refuse("has the shape " + toText(place.shape) + ", vectors have [count, width]");
    }
    if (elementCount(place.shape).value_or(0) == 0) {
        refuse("is empty: its shape is " + toText(place.shape));
    }
    return rank == 1 ? Shape{1, place.shape[0]} : place.shape;
}

TokenVectorsRef readVectors(const WeightMap& file, const std::string& name) {
    const std::optional<std::vector<double>> values = readValues(file, name);
    if (!values) {
        throw Error(ErrorKind::Corrupt,
                    file.what + ", " + quotedName(name) + ": has the shape " +
                        toText(file.tensors.at(name).shape) + ", which no text has room for",
                    "choose an embedding of some vectors");
    }
    const bool isFinite = std::all_of(
        values->begin(), values->end(), [](double value) { return std::isfinite(value); });
    if (!isFinite) {
        throw Error(ErrorKind::Corrupt,
                    file.what + ", " + quotedName(name) +
                        ": holds a number that is not finite (NaN or infinity)",
                    kGetAnother);
    }
    TokenVectors vectors{.width = rowsOf(file, name)[1], .values = {}};
    vectors.values.reserve(values->size());
    for (const double value : *values) {
        vectors.values.push_back(static_cast<float>(value));
    }
    return std::make_shared<const TokenVectors>(std::move(vectors));
}

}  // namespace

EmbeddingTensors embeddingTensors(const WeightFileHeader& header) {
    const WeightMap& file = header.map;
    EmbeddingTensors sets;
    const auto& tensors = file.tensors;
    const bool isOfTwo = tensors.contains(kClipL) && tensors.contains(kClipG);
    if (isOfTwo) {
        const int64_t first = rowsOf(file, std::string(kClipL))[0];
        const int64_t second = rowsOf(file, std::string(kClipG))[0];
        if (first != second) {
            throw Error(ErrorKind::Corrupt,
                        file.what + ": has " + std::to_string(first) + " vectors in clip_l and " +
                            std::to_string(second) + " in clip_g",
                        kGetAnother);
        }
        sets = {{std::string(kClipL), std::string(kClipL)},
                {std::string(kClipG), std::string(kClipG)}};
    } else if (tensors.size() == 1) {
        (void)rowsOf(file, tensors.begin()->first);
        sets.emplace("", tensors.begin()->first);
    } else {
        refuseEmbedding(file);
    }
    return sets;
}

EmbeddingFile openEmbeddingFile(const std::string& path) {
    const Bytes size = files::stampOfFile(path).identity.size;
    const std::string name = quotedName(std::filesystem::path(path).filename().string());
    if (size > kLargestEmbeddingFile) {
        throw Error(
            ErrorKind::Unsupported,
            name + " is " + formatBytes(size) + " large, which no embedding (textual inversion) is",
            "take other files out of the folder embeddings");
    }
    const WeightFileHeader header = openWeightFile(path);
    EmbeddingFile file{.what = header.map.what,
                       .name = std::filesystem::path(path).stem().string(),
                       .digest = files::sha256OfFile(path),
                       .stamp = header.map.files.front(),
                       .sets = {}};
    for (const auto& [set, tensor] : embeddingTensors(header)) {
        file.sets.emplace(set, readVectors(header.map, tensor));
    }
    if (stampOf(path) != file.stamp) {
        throw Error(ErrorKind::Corrupt,
                    file.what + " was changed while it was read",
                    "wait until it is complete, then try again");
    }
    return file;
}

TokenVectorsRef vectorsFor(const EmbeddingFile& file,
                           std::string_view set,
                           const std::string& encoder,
                           int64_t width,
                           int64_t most) {
    const bool isSingle = file.sets.contains("");
    const TokenVectorsRef& vectors = file.sets.find(isSingle ? std::string_view() : set)->second;
    if (vectors->width != width) {
        throw Error(ErrorKind::InvalidInput,
                    "the embedding " + file.what + " has vectors " +
                        std::to_string(vectors->width) + " wide" +
                        (isSingle ? "" : " for " + std::string(set)) + ", the " + encoder +
                        " reads " + std::to_string(width),
                    "choose an embedding that was trained for this kind of model, or take the "
                    "file out of the folder embeddings");
    }
    if (vectors->count() > most) {
        throw Error(ErrorKind::InvalidInput,
                    "the embedding " + file.what + " has " + std::to_string(vectors->count()) +
                        " vectors, the " + encoder + " reads texts of " + std::to_string(most),
                    "choose an embedding of fewer vectors");
    }
    return vectors;
}

}  // namespace lowtide::models
