#include "plugin/files/hub_folder.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/path_parts.hpp"

#include <filesystem>

namespace lowtide::files {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRepository = "models--";
constexpr std::string_view kBetween = "--";
constexpr Bytes kLongestRevision = 4096;

/// The one that refs/main names; empty where there is none.
std::string revisionOf(const fs::path& repository) {
    const fs::path reference = repository / "refs" / "main";
    std::error_code ignored;
    if (!fs::is_regular_file(reference, ignored)) {
        return {};
    }
    try {
        return std::string(trim(InputFile(reference.string()).readAll(kLongestRevision)));
    } catch (const Error&) {
        return {};
    }
}

std::optional<std::string> onlyFolderIn(const fs::path& folder) {
    std::optional<std::string> only;
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        if (!it->is_directory(ignored)) {
            continue;
        }
        if (only) {
            return std::nullopt;
        }
        only = it->path().string();
    }
    return only;
}

std::optional<std::string> ifThere(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return std::nullopt;
    }
    const std::optional<std::string> snapshot = hubSnapshot(path.string());
    return snapshot ? *snapshot : path.string();
}

}  // namespace

std::string hubName(const std::string& path) {
    const std::string folder = lastPart(path);
    if (!folder.starts_with(kRepository)) {
        return {};
    }
    std::string name = folder.substr(kRepository.size());
    if (const size_t between = name.find(kBetween); between != std::string::npos) {
        name.replace(between, kBetween.size(), "/");
    }
    return name;
}

std::optional<std::string> hubSnapshot(const std::string& path) {
    if (hubName(path).empty()) {
        return std::nullopt;
    }
    const fs::path snapshots = fs::path(path) / "snapshots";
    const std::string revision = revisionOf(path);
    std::error_code ignored;
    if (!revision.empty() && revision.find('/') == std::string::npos && revision != ".." &&
        fs::is_directory(snapshots / revision, ignored)) {
        return (snapshots / revision).string();
    }
    return onlyFolderIn(snapshots);
}

std::optional<std::string> placeBelow(const std::string& folder, const std::string& name) {
    if (auto found = ifThere(fs::path(folder) / name)) {
        return found;
    }
    const size_t first = name.find('/');
    if (first == std::string::npos || first == 0) {
        return std::nullopt;
    }
    const size_t second = std::min(name.find('/', first + 1), name.size());
    const std::string repository = std::string(kRepository) + name.substr(0, first) +
                                   std::string(kBetween) +
                                   name.substr(first + 1, second - first - 1);
    const auto snapshot = hubSnapshot((fs::path(folder) / repository).string());
    if (!snapshot) {
        return std::nullopt;
    }
    const std::string rest = name.substr(std::min(second + 1, name.size()));
    return rest.empty() ? snapshot : ifThere(fs::path(*snapshot) / rest);
}

}  // namespace lowtide::files
