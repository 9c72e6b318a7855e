#include "plugin/checkpoints/embeddings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

/// torch.save keeps the whole table of which an embedding is a row: 150 MB for CLIP-L.
constexpr Bytes kLargestEmbeddingFile = 512 * kMiB;
constexpr Phrase kGetAnother = phrase("get the file again");

[[noreturn]] void refuseEmbedding(const WeightMap& file) {
    std::vector<std::string> names;
    for (const auto& [name, location] : file.tensors) {
        names.push_back(name);
    }
    const std::optional<KnownFile> known = knownByNames(file);
    const bool isOther = known && known->kind != "embedding";
    throw Error(ErrorKind::Unsupported,
                message("{} is no embedding (textual inversion): {}",
                        file.what,
                        names.empty() ? message("there are no vectors in it")
                        : isOther     ? message("it is of the kind {}", known->family)
                                      : message("its tensors are {}", listSome(names))),
                message("an embedding is one tensor of vectors, or clip_l and clip_g; take other "
                        "files out of the folder embeddings"));
}

/// [n, width], or [width] for one vector.
Shape rowsOf(const WeightMap& file, const std::string& name) {
    const TensorLocation& location = file.tensors.at(name);
    const auto refuse = [&](const Message& problem) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, {}: {}", file.what, quotedName(name), problem),
                    kGetAnother);
    };
    const bool isFloat = location.type == DType::F32 || location.type == DType::F16 ||
                         location.type == DType::BF16 || location.type == DType::F64;
    if (!isFloat) {
        refuse(message("is {}, vectors are numbers with a point", nameOf(location.type)));
    }
    const size_t rank = location.shape.size();
    if (rank < 1 || rank > 2 || !location.isRowMajor) {
        refuse(message("has the shape {}, vectors have [count, width]", toText(location.shape)));
    }
    if (elementCount(location.shape).value_or(0) == 0) {
        refuse(message("is empty: its shape is {}", toText(location.shape)));
    }
    return rank == 1 ? Shape{1, location.shape[0]} : location.shape;
}

TokenVectorsRef readVectors(const WeightMap& file, const std::string& name) {
    const std::optional<std::vector<double>> values = readValues(file, name);
    if (!values) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, {}: has the shape {}, which no text can hold",
                            file.what,
                            quotedName(name),
                            toText(file.tensors.at(name).shape)),
                    message("choose an embedding of some vectors"));
    }
    const bool isFinite = std::all_of(
        values->begin(), values->end(), [](double value) { return std::isfinite(value); });
    if (!isFinite) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, {}: holds a number that is not finite (NaN or infinity)",
                            file.what,
                            quotedName(name)),
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
            throw Error(
                ErrorKind::Corrupt,
                message("{}: has {} vectors in clip_l and {} in clip_g", file.what, first, second),
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
        throw Error(ErrorKind::Unsupported,
                    message("{} is {} large, which no embedding (textual inversion) is",
                            name,
                            formatBytes(size)),
                    message("take other files out of the folder embeddings"));
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
                    message("{} was changed while it was read", file.what),
                    message("wait until it is complete, then try again"));
    }
    return file;
}

TokenVectorsRef vectorsFor(const EmbeddingFile& file,
                           std::string_view set,
                           const Message& encoder,
                           int64_t width,
                           int64_t most) {
    const bool isSingle = file.sets.contains("");
    const TokenVectorsRef& vectors = file.sets.find(isSingle ? std::string_view() : set)->second;
    if (vectors->width != width) {
        throw Error(ErrorKind::InvalidInput,
                    isSingle ? message("the embedding {} has vectors {} wide, the {} reads {}",
                                       file.what,
                                       vectors->width,
                                       encoder,
                                       width)
                             : message("the embedding {} has vectors {} wide for {}, the {} "
                                       "reads {}",
                                       file.what,
                                       vectors->width,
                                       set,
                                       encoder,
                                       width),
                    message("choose an embedding that was trained for this kind of model, or take "
                            "the file out of the folder embeddings"));
    }
    if (vectors->count() > most) {
        throw Error(ErrorKind::InvalidInput,
                    message("the embedding {} has {} vectors, the {} reads texts of {}",
                            file.what,
                            vectors->count(),
                            encoder,
                            most),
                    message("choose an embedding of fewer vectors"));
    }
    return vectors;
}

namespace {

std::string audienceOf(const EmbeddingTensors& sets, int64_t width) {
    const NamedWidth* known = published(&AdapterMarks::embeddings, sets.size() > 1 ? 0 : width);
    return known ? std::string(known->name.text())
                 : "text encoders " + std::to_string(width) + " wide";
}

}  // namespace

std::string whatEmbeddingIs(const WeightFileHeader& header) {
    const EmbeddingTensors sets = embeddingTensors(header);
    const Shape& shape = header.map.tensors.at(sets.begin()->second).shape;
    const int64_t count = shape.size() > 1 ? shape.front() : 1;
    return "embedding for " + audienceOf(sets, shape.back()) + ", " + std::to_string(count) +
           (count == 1 ? " vector" : " vectors");
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderName = "embeddings";
constexpr std::string_view kEndings[] = {".safetensors", ".pt", ".bin"};
/// A folder of a user's embeddings has some hundred files; others are not listed to their ends.
constexpr int kDeepestFolder = 8;
constexpr size_t kMostEntries = 20000;

bool isFolder(const fs::path& path) {
    std::error_code unreadable;
    return fs::is_directory(path, unreadable);
}

size_t orderOf(const fs::path& path) {
    return static_cast<size_t>(
        std::find(std::begin(kEndings), std::end(kEndings), toLower(path.extension().string())) -
        std::begin(kEndings));
}

/// Files below `folder` that may be embeddings, those that are preferred in front.
std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code failure;
    fs::recursive_directory_iterator at(folder,
                                        fs::directory_options::follow_directory_symlink |
                                            fs::directory_options::skip_permission_denied,
                                        failure);
    size_t seen = 0;
    for (; !failure && at != fs::recursive_directory_iterator() && seen < kMostEntries;
         at.increment(failure), ++seen) {
        if (at.depth() >= kDeepestFolder) {
            at.disable_recursion_pending();
        }
        std::error_code ignored;
        const bool isKnown = orderOf(at->path()) < std::size(kEndings);
        if (isKnown && at->is_regular_file(ignored) && isValidUtf8(at->path().string())) {
            found.push_back(at->path());
        }
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        return std::tuple(orderOf(a), a.string()) < std::tuple(orderOf(b), b.string());
    });
    return found;
}

}  // namespace

EmbeddingRef EmbeddingCache::open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(path);
    if (known != known_.end() && areUnchanged({known->second->stamp})) {
        return known->second;
    }
    auto file = std::make_shared<const EmbeddingFile>(openEmbeddingFile(path));
    return known_.insert_or_assign(path, std::move(file)).first->second;
}

std::vector<std::string> embeddingFolders(std::span<const std::string> locations) {
    std::vector<std::string> folders;
    const auto add = [&](const fs::path& path) {
        const std::string plain = path.lexically_normal().string();
        if (isFolder(path) && std::find(folders.begin(), folders.end(), plain) == folders.end()) {
            folders.push_back(plain);
        }
    };
    for (const std::string& text : locations) {
        std::error_code ignored;
        const fs::path location = fs::absolute(text, ignored).lexically_normal();
        if (text.empty() || ignored) {
            continue;
        }
        if (location.filename() == kFolderName) {
            add(location);
        }
        add(location / kFolderName);
        add(location / ".." / kFolderName);
        if (location.parent_path().filename() == "models") {
            add(location / ".." / ".." / kFolderName);
        }
    }
    return folders;
}

EmbeddingLibrary::EmbeddingLibrary(std::vector<std::string> folders,
                                   std::shared_ptr<EmbeddingCache> cache)
    : folders_(std::move(folders)), cache_(std::move(cache)) {
    std::set<std::string> known;
    for (const std::string& folder : folders_) {
        for (const fs::path& path : filesIn(folder)) {
            entries_.push_back({.relative = path.lexically_relative(folder).generic_string(),
                                .path = path.string()});
            std::string name = path.stem().string();
            if (known.insert(name).second) {
                names_.push_back(std::move(name));
            }
        }
    }
}

EmbeddingRef EmbeddingLibrary::find(std::string_view name) const {
    const auto withoutEnding = [](const std::string& relative) {
        return relative.substr(0, relative.rfind('.'));
    };
    const auto stem = [](const std::string& relative) {
        return fs::path(relative).stem().string();
    };
    const std::vector<std::function<bool(const std::string&)>> ways = {
        [&](const std::string& relative) { return relative == name; },
        [&](const std::string& relative) { return withoutEnding(relative) == name; },
        [&](const std::string& relative) { return stem(relative) == name; },
        [&](const std::string& relative) { return toLower(stem(relative)) == toLower(name); }};
    for (const auto& isCalledSo : ways) {
        for (const Entry& entry : entries_) {
            if (isCalledSo(entry.relative)) {
                return cache_->open(entry.path);
            }
        }
    }
    return nullptr;
}

}  // namespace lowtide::models
