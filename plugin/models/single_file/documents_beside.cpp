#include "plugin/models/single_file/documents_beside.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/models/blocks/weight_map.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

constexpr Bytes kLargestDocument = 64 * kMiB;

/// What a folder has of them.
struct FoundDocuments {
    FileDocuments documents;
    std::vector<memory::WeightFile> stamps;
};

std::optional<FoundDocuments> documentsIn(const std::filesystem::path& folder,
                                          const DocumentPlaces& places) {
    FoundDocuments found{.documents = {.className = places.className, .texts = {}}, .stamps = {}};
    for (const char* name : places.names) {
        const std::string path = (folder / name).string();
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) {
            found.documents.texts[name] = [path] {
                return files::InputFile(path).readAll(kLargestDocument);
            };
            found.stamps.push_back(stampOf(path));
        }
    }
    const bool isThere =
        std::any_of(places.leading.begin(), places.leading.end(), [&](const char* name) {
            return found.documents.texts.contains(name);
        });
    return isThere ? std::optional(std::move(found)) : std::nullopt;
}

bool isMarked(const FileDocuments& documents, std::string_view marker) {
    const auto tokenizer = documents.texts.find("tokenizer.json");
    return tokenizer == documents.texts.end() ||
           tokenizer->second().find(marker) != std::string::npos;
}

}  // namespace

FileDocuments documentsBeside(const std::string& weights,
                              const DocumentPlaces& places,
                              std::vector<memory::WeightFile>& stamps) {
    std::vector<FoundDocuments> found;
    for (const char* folder : places.folders) {
        const auto path = std::filesystem::path(weights).parent_path() / folder;
        if (auto documents = documentsIn(path, places)) {
            found.push_back(std::move(*documents));
        }
    }
    if (found.empty()) {
        return {};
    }
    const auto marked = std::find_if(found.begin(), found.end(), [&](const FoundDocuments& each) {
        return found.size() == 1 || isMarked(each.documents, places.marker);
    });
    const FoundDocuments& chosen = marked == found.end() ? found.front() : *marked;
    stamps.insert(stamps.end(), chosen.stamps.begin(), chosen.stamps.end());
    return chosen.documents;
}

}  // namespace lowtide::models
