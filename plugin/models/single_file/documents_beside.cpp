#include "plugin/models/single_file/documents_beside.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/models/blocks/weight_map.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::models {

namespace {

constexpr Bytes kLargestDocument = 64 * kMiB;

}  // namespace

FileDocuments documentsBeside(const std::string& weights,
                              const DocumentPlaces& places,
                              std::vector<memory::WeightFile>& stamps) {
    namespace fs = std::filesystem;
    for (const char* folder : places.folders) {
        FileDocuments found{.className = places.className, .texts = {}};
        std::vector<memory::WeightFile> own;
        for (const char* name : places.names) {
            const std::string path = (fs::path(weights).parent_path() / folder / name).string();
            std::error_code ignored;
            if (fs::is_regular_file(path, ignored)) {
                found.texts[name] = [path] {
                    return files::InputFile(path).readAll(kLargestDocument);
                };
                own.push_back(stampOf(path));
            }
        }
        const bool isThere =
            std::any_of(places.leading.begin(), places.leading.end(), [&](const char* name) {
                return found.texts.contains(name);
            });
        if (isThere) {
            stamps.insert(stamps.end(), own.begin(), own.end());
            return found;
        }
    }
    return {};
}

}  // namespace lowtide::models
