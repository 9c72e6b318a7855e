#include "ui/prompts/wildcard_files.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<fs::path> textFilesIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    fs::recursive_directory_iterator at(
        folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
        std::error_code unknown;
        if (at.depth() >= kDeepestFolder) {
            at.disable_recursion_pending();
        }
        if (at->path().extension() == ".txt" && at->is_regular_file(unknown)) {
            found.push_back(at->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

std::vector<std::string> wildcardLines(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    std::vector<std::string> lines;
    for (const std::string& line : split(text, '\n')) {
        std::string trimmed = trim(line);
        if (!trimmed.empty() && trimmed.front() != '#') {
            lines.push_back(std::move(trimmed));
        }
    }
    return lines;
}

WildcardFiles readWildcards(const std::string& folder) {
    WildcardFiles read;
    int64_t left = kMostBytesOfWildcards;
    for (const fs::path& path : textFilesIn(folder)) {
        fs::path relative = path.lexically_relative(folder);
        const std::string name = relative.replace_extension().generic_string();
        const auto leaveOut = [&](const std::string& why) {
            read.problems.push_back("the wildcard " + quotedName(files::pathText(name)) +
                                    " is left out: " + why);
        };
        if (!isValidUtf8(name)) {
            leaveOut("its name is not UTF-8");
            continue;
        }
        if (!isWildcardName(name)) {
            leaveOut("its name cannot stand between two __");
            continue;
        }
        try {
            const files::InputFile file(path.string());
            const std::string text = file.readAll(std::min(kMostWildcardBytes, left));
            left -= static_cast<int64_t>(text.size());
            if (!isValidUtf8(text)) {
                leaveOut("it is not UTF-8");
                continue;
            }
            read.lists.emplace(name, wildcardLines(text));
        } catch (const Error& error) {
            leaveOut(error.message().str());
        }
    }
    return read;
}

}  // namespace lowtide::ui
