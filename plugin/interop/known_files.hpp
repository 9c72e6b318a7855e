#pragma once

#include "plugin/interop/fold.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::interop {

/// Whether a path that a file from outside names could leave the folder that it is meant in.
[[nodiscard]] bool leavesFolder(const std::string& path);
/// "x.png [input]" without the folder that it names, with the slashes of this system.
[[nodiscard]] std::string plainFileName(std::string name);

/// What there is of the files that a foreign graph names, for ImportNeeds.
class KnownFiles {
public:
    /// Images and videos are looked for in the folders. A model is found in `models`, names as a
    /// graph writes them, by the last part of its name, also without the ending. Not set: every
    /// model counts as found.
    KnownFiles(std::vector<std::filesystem::path> imageFolders,
               const std::optional<std::vector<std::string>>& models);

    /// As ImportNeeds::findFile.
    [[nodiscard]] std::optional<std::string> find(const std::string& name, bool isModel) const;
    /// Of an image; nothing: it is not there, or no image.
    [[nodiscard]] std::optional<PixelSize> sizeOf(const std::string& name) const;

private:
    [[nodiscard]] std::optional<std::string> image(const std::string& name) const;
    [[nodiscard]] std::optional<std::string> model(const std::string& name) const;

    std::vector<std::filesystem::path> imageFolders_;
    /// By the last part of their names, with and without its ending.
    std::map<std::string, std::set<std::string>> models_;
    bool knowsModels_ = false;
};

}  // namespace lowtide::interop
