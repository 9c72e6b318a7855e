#include "plugin/graph/preset_folder.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::graph {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".json";
constexpr Bytes kLargestPreset = 64 * kMiB;

bool isNamed(const PresetFile& file, const std::string& lowerName) {
    return toLower(file.id) == lowerName || toLower(file.title()) == lowerName;
}

}  // namespace

std::string PresetFile::title() const {
    return refusal || preset.title.empty() ? id : preset.title;
}

Preset readPreset(const std::string& path) {
    const files::InputFile file(path);
    try {
        return parsePreset(file.readAll(kLargestPreset));
    } catch (const Error& error) {
        throw Error(error.kind(), file.name() + ": " + error.message(), error.hint(), error.item());
    }
}

PresetFile presetFileAt(const std::string& path) {
    PresetFile file{
        .id = fs::path(path).stem().string(), .path = path, .preset = {}, .refusal = {}};
    try {
        file.preset = readPreset(path);
    } catch (const Error& error) {
        file.refusal = error;
    }
    return file;
}

std::vector<PresetFile> presetsOf(const std::string& folder) {
    std::vector<PresetFile> files;
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        if (it->path().extension() == kSuffix && it->is_regular_file(ignored)) {
            files.push_back(presetFileAt(it->path().string()));
        }
    }
    std::sort(files.begin(), files.end(), [](const PresetFile& a, const PresetFile& b) {
        return a.id < b.id;
    });
    return files;
}

PresetFile findPreset(std::string_view name, std::span<const std::string> folders) {
    std::vector<std::string> known;
    for (const std::string& folder : folders) {
        for (PresetFile& file : presetsOf(folder)) {
            if (isNamed(file, toLower(trim(name)))) {
                return std::move(file);
            }
            known.push_back(file.id);
        }
    }
    const std::string nearest = nearestName(name, known);
    throw Error(ErrorKind::NotFound,
                "there is no preset " + quotedName(name),
                nearest.empty() ? "lowtide presets lists those that there are"
                                : "did you mean " + nearest + "?");
}

}  // namespace lowtide::graph
