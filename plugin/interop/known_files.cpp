#include "plugin/interop/known_files.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/image_header.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace lowtide::interop {

namespace {

/// A model that comes with this program, not as a file.
constexpr std::string_view kBuiltinModel = "builtin:";

std::string lastPartOf(std::string name) {
    std::ranges::replace(name, '\\', '/');
    return name.substr(name.rfind('/') + 1);
}

}  // namespace

bool leavesFolder(const std::string& path) {
    std::string plain = path;
    std::ranges::replace(plain, '\\', '/');
    const bool hasDrive = plain.size() > 1 && plain[1] == ':';
    const std::vector<std::string> parts = split(plain, '/');
    return plain.starts_with('/') || plain.starts_with('~') || hasDrive ||
           std::ranges::find(parts, "..") != parts.end() || plain.find('\0') != std::string::npos;
}

std::string plainFileName(std::string name) {
    for (const std::string_view folder : {" [input]", " [output]", " [temp]"}) {
        if (name.ends_with(folder)) {
            name.erase(name.size() - folder.size());
        }
    }
    std::ranges::replace(name, '\\', '/');
    return name;
}

KnownFiles::KnownFiles(std::vector<std::filesystem::path> imageFolders,
                       const std::optional<std::vector<std::string>>& models)
    : imageFolders_(std::move(imageFolders)), knowsModels_(models.has_value()) {
    for (const std::string& name : models.value_or(std::vector<std::string>())) {
        const std::string last = lastPartOf(name);
        models_[last].insert(name);
        models_[std::filesystem::path(last).stem().string()].insert(name);
    }
}

std::optional<std::string> KnownFiles::find(const std::string& name, bool isModel) const {
    return isModel ? model(name) : image(name);
}

std::optional<std::string> KnownFiles::model(const std::string& name) const {
    std::error_code ignored;
    const bool isNextToIt =
        !imageFolders_.empty() && std::filesystem::exists(imageFolders_[0] / name, ignored);
    if (!knowsModels_ || isNextToIt || name.starts_with(kBuiltinModel)) {
        return name;
    }
    const auto found = models_.find(lastPartOf(name));
    if (found == models_.end()) {
        return std::nullopt;
    }
    return found->second.contains(name) ? name : *found->second.begin();
}

std::optional<std::string> KnownFiles::image(const std::string& name) const {
    for (const std::filesystem::path& folder : imageFolders_) {
        const std::filesystem::path path = folder / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) {
            return std::filesystem::absolute(path).lexically_normal().string();
        }
    }
    return std::nullopt;
}

std::optional<PixelSize> KnownFiles::sizeOf(const std::string& name) const {
    const std::optional<std::string> path = leavesFolder(name) ? std::nullopt : image(name);
    if (!path) {
        return std::nullopt;
    }
    try {
        const files::InputFile file(*path);
        const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                       .read = [&](std::span<std::byte> target, uint64_t offset) {
                                           file.read(target, static_cast<Bytes>(offset));
                                       }};
        const image::ImageSize size = image::readImageHeader(source, file.name()).size;
        return PixelSize{size.widthPixels, size.heightPixels};
    } catch (const Error&) {
        return std::nullopt;  // no image: the run reports it
    }
}

}  // namespace lowtide::interop
