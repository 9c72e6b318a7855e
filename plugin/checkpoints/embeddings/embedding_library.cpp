#include "plugin/checkpoints/embeddings/embedding_library.hpp"

#include "plugin/base/text.hpp"
#include "plugin/checkpoints/unchanged_weights.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderName = "embeddings";
constexpr std::string_view kEndings[] = {".safetensors", ".pt", ".bin"};
/// A folder of a person's embeddings has some hundred files; others are not walked to their ends.
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

std::vector<std::string> embeddingFolders(std::span<const std::string> places) {
    std::vector<std::string> folders;
    const auto add = [&](const fs::path& path) {
        const std::string plain = path.lexically_normal().string();
        if (isFolder(path) && std::find(folders.begin(), folders.end(), plain) == folders.end()) {
            folders.push_back(plain);
        }
    };
    for (const std::string& text : places) {
        std::error_code ignored;
        const fs::path place = fs::absolute(text, ignored).lexically_normal();
        if (text.empty() || ignored) {
            continue;
        }
        if (place.filename() == kFolderName) {
            add(place);
        }
        add(place / kFolderName);
        add(place / ".." / kFolderName);
        if (place.parent_path().filename() == "models") {
            add(place / ".." / ".." / kFolderName);
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
