#include "plugin/files/downloads.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
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

std::optional<std::string> pathBelow(const std::string& folder, const std::string& name) {
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

namespace {

/// Begins the first line of a pointer, and the address in it.
constexpr std::string_view kLfsVersion = "version";
constexpr std::string_view kLfsSpec = "git-lfs.github.com";
constexpr std::string_view kPages[] = {"<!doctype", "<html", "<head", "<?xml"};
/// Of what holds no text: a server's JSON, which states why it sent no file.
constexpr std::string_view kAnswer = "{\"";
constexpr Bytes kLooked = 256;

std::string_view withoutLead(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text;
}

}  // namespace

void refuseStandIn(std::string_view text, const std::string& what) {
    const std::string_view start = withoutLead(text.substr(0, static_cast<size_t>(kLooked)));
    const std::string_view line = start.substr(0, start.find('\n'));
    if (line.starts_with(kLfsVersion) && line.find(kLfsSpec) != line.npos) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is a pointer of git LFS, not the file that it stands for", what),
                    message("run git lfs pull in its folder, or download the file itself"));
    }
    const std::string lower = toLower(std::string(start));
    if (std::any_of(std::begin(kPages), std::end(kPages), [&](std::string_view page) {
            return lower.starts_with(page);
        })) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is a page of a server (HTML), not the file", what),
                    message("download it again; some files need a login, or a link of their own"));
    }
}

void refuseStandIn(const ReadableBytes& bytes) {
    std::string start(static_cast<size_t>(std::min(bytes.size(), kLooked)), '\0');
    bytes.read(std::as_writable_bytes(std::span(start)), 0);
    const std::string what = quotedName(bytes.name());
    refuseStandIn(start, what);
    if (withoutLead(start).starts_with(kAnswer)) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is a text (JSON), not a file of weights", what),
                    message("if a server sent it, open it to see why; download the file again"));
    }
}

}  // namespace lowtide::files
