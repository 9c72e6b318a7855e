#include "nodes/save/file_names.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/video/video_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace lowtide::nodes {

namespace {

constexpr int kDigits = 5;
constexpr size_t kLongestPrefix = 200;

[[noreturn]] void refuse(const std::string& prefix, const Message& why) {
    throw Error(
        ErrorKind::InvalidInput,
        message("file name {} {}", quotedName(prefix), why),
        message("use letters, digits, spaces, - and _, and / for a folder below the output folder"),
        "prefix");
}

/// The number in "<name>_<number>.png" or the name of another image or video, 0 when the file is
/// another one.
uint64_t numberOf(const std::string& file, const std::string& name) {
    const bool isOurs = image::hasImageName(file) || video::hasVideoName(file);
    if (!file.starts_with(name + "_") || !isOurs) {
        return 0;
    }
    const char* first = file.data() + name.size() + 1;
    const char* last = file.data() + file.rfind('.');
    uint64_t number = 0;
    const auto [rest, failure] = std::from_chars(first, last, number);
    return failure == std::errc() && rest == last ? number : 0;
}

}  // namespace

void writeOutputs(const std::function<void()>& write) {
    try {
        write();
    } catch (const files::WriteError& error) {
        throw Error(error.kind(),
                    error.message(),
                    message("{} (--out, or Settings)", error.hint()),
                    error.item());
    }
}

void checkPrefix(const std::string& prefix) {
    if (prefix.empty()) {
        refuse(prefix, message("is empty"));
    }
    if (prefix.size() > kLongestPrefix) {
        refuse(prefix, message("is longer than {} bytes", kLongestPrefix));
    }
    if (!isValidUtf8(prefix) || std::ranges::any_of(prefix, [](char c) {
            return static_cast<unsigned char>(c) < 0x20 ||
                   std::string_view("\\:*?\"<>|").find(c) != std::string::npos;
        })) {
        refuse(prefix, message("has characters that file systems refuse"));
    }
    for (const std::string& part : split(prefix, '/')) {
        if (part.empty() || part == "." || part == "..") {
            refuse(prefix, message("leaves the output folder or has an empty part"));
        }
    }
}

FileNames::FileNames(std::string folder, const std::string& prefix, std::string ending)
    : ending_(std::move(ending)) {
    checkPrefix(prefix);
    const size_t slash = prefix.rfind('/');
    const std::string name = slash == std::string::npos ? prefix : prefix.substr(slash + 1);
    if (slash != std::string::npos) {
        folder += "/" + prefix.substr(0, slash);
    }
    files::makeFolders(folder);
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
        number_ = std::max(number_, numberOf(entry.path().filename().string(), name));
    }
    stem_ = folder + "/" + name + "_";
}

std::string FileNames::next() {
    return stem_ + zeroPadded(++number_, kDigits) + ending_;
}

}  // namespace lowtide::nodes
