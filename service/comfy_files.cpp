#include "service/comfy_files.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/paths.hpp"
#include "plugin/image/image_file.hpp"
#include "service/multipart.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace lowtide::service {

namespace {

constexpr const char* kSettingsFile = "comfy.settings.json";
constexpr uint64_t kMostUserBytes = 100u << 20;

std::string bytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool isFile(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

bool isTrue(const std::string& text) {
    return text == "true" || text == "1";
}

/// "a.png" of "a.png [input]", and that word.
std::pair<std::string, std::string> withoutSuffix(const std::string& name) {
    for (const char* type : {"input", "output", "temp"}) {
        const std::string suffix = std::string(" [") + type + "]";
        if (name.ends_with(suffix)) {
            return {name.substr(0, name.size() - suffix.size()), type};
        }
    }
    return {name, ""};
}

/// Where an upload goes: a name that is taken by other bytes gets a number.
std::string freeName(const std::string& path, const std::string& bytes) {
    const std::filesystem::path wanted(path);
    std::string chosen = path;
    for (int number = 1; isFile(chosen) && bytesOf(chosen) != bytes; ++number) {
        chosen = (wanted.parent_path() / wanted.stem()).string() + " (" + std::to_string(number) +
                 ")" + wanted.extension().string();
    }
    return chosen;
}

image::DecodedImage decodedImage(const std::string& bytes) {
    return image::decodeImage(std::as_bytes(std::span(bytes)), "the image");
}

/// The image with other channels: colours alone, or its alpha as a grey image.
Image8 withChannels(const Image8& image, bool isAlpha) {
    const size_t count = image.byteCount() / static_cast<size_t>(image.channels);
    const size_t channels = isAlpha ? 1 : 3;
    auto pixels = std::make_shared<uint8_t[]>(count * channels);
    const auto from = static_cast<size_t>(image.channels);
    for (size_t i = 0; i < count; ++i) {
        for (size_t channel = 0; channel < channels; ++channel) {
            const size_t source = from == 1 ? 0 : channel;
            pixels[i * channels + channel] = isAlpha
                                                 ? (from == 4 ? image.pixels[i * from + 3] : 255)
                                                 : image.pixels[i * from + source];
        }
    }
    return {.widthPixels = image.widthPixels,
            .heightPixels = image.heightPixels,
            .channels = static_cast<int>(channels),
            .pixels = pixels};
}

/// The image as PNG without or as its alpha, or as a smaller file ("webp;90").
Response convertedImage(const std::string& path,
                        const std::string& channel,
                        const std::string& preview) {
    const Image8 image = decodedImage(bytesOf(path)).image;
    if (!preview.empty()) {
        const bool isJpeg = preview.starts_with("jpeg") && channel.find('a') == channel.npos;
        const size_t mark = preview.find(';');
        const int quality = mark == preview.npos ? 90 : std::atoi(preview.c_str() + mark + 1);
        return {.type = isJpeg ? "image/jpeg" : "image/webp",
                .body = image::encodeImage(
                    isJpeg ? withChannels(image, false) : image,
                    {},
                    {.format = isJpeg ? image::ImageFormat::Jpeg : image::ImageFormat::WebP,
                     .quality = std::clamp(quality, 1, 100)})};
    }
    return {.type = "image/png",
            .body = image::encodeImage(withChannels(image, channel == "a"), {}, {})};
}

/// The original with the alpha of the mask, as the mask editor means it.
std::string maskedImage(const std::string& original, const std::string& mask) {
    const Image8 image = decodedImage(original).image;
    const Image8 alpha = withChannels(decodedImage(mask).image, true);
    if (image.widthPixels != alpha.widthPixels || image.heightPixels != alpha.heightPixels) {
        throw Error(ErrorKind::InvalidInput,
                    message("the mask is {} x {}, the image {} x {}",
                            alpha.widthPixels,
                            alpha.heightPixels,
                            image.widthPixels,
                            image.heightPixels));
    }
    const Image8 colours = withChannels(image, false);
    const size_t count = alpha.byteCount();
    auto pixels = std::make_shared<uint8_t[]>(count * 4);
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(pixels.get() + i * 4, colours.pixels.get() + i * 3, 3);
        pixels[i * 4 + 3] = alpha.pixels[i];
    }
    return image::encodeImage({.widthPixels = image.widthPixels,
                               .heightPixels = image.heightPixels,
                               .channels = 4,
                               .pixels = pixels},
                              {},
                              {});
}

double secondsOf(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto time = std::filesystem::last_write_time(path, ignored);
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration<double>(system.time_since_epoch()).count();
}

Json fileFacts(const std::string& path, const std::string& name) {
    std::error_code ignored;
    const double seconds = secondsOf(path);
    return {{"path", name},
            {"size", std::filesystem::file_size(path, ignored)},
            {"modified", seconds},
            {"created", seconds}};
}

/// The files of a folder, newest first.
Json newestFirst(const std::string& folder) {
    std::vector<std::pair<double, std::string>> files;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored) && isValidUtf8(entry->path().filename().string())) {
            files.emplace_back(-secondsOf(entry->path()), entry->path().filename().string());
        }
    }
    std::ranges::sort(files);
    Json names = Json::array();
    for (const auto& [seconds, name] : files) {
        names.push_back(name);
    }
    return names;
}

}  // namespace

ComfyFiles::ComfyFiles(const ServiceFolders& folders, Router& router) : folders_(folders) {
    router.add("GET", "/view", [this](const Request& request, const PathValues&) {
        return viewed(request);
    });
    router.add("POST", "/upload/image", [this](const Request& request, const PathValues&) {
        return uploaded(request, false);
    });
    router.add("POST", "/upload/mask", [this](const Request& request, const PathValues&) {
        return uploaded(request, true);
    });
    router.add("GET", "/internal/files/{}", [this](const Request&, const PathValues& values) {
        const std::optional<std::string> folder = folderOf(values[0]);
        return folder ? jsonResponse(newestFirst(*folder))
                      : jsonResponse({{"error", "Invalid directory type"}}, 400);
    });
    addUserData(router);
    addModels(router);
}

std::optional<std::string> ComfyFiles::folderOf(const std::string& type) const {
    return type == "input"    ? std::optional(folders_.input)
           : type == "output" ? std::optional(folders_.out)
           : type == "temp"   ? std::optional(folders_.temp)
                              : std::nullopt;
}

Response ComfyFiles::viewed(const Request& request) const {
    const auto [name, suffix] = withoutSuffix(request.parameter("filename"));
    if (name.empty()) {
        return emptyResponse(404);
    }
    const std::string type = request.parameter("type");
    const std::optional<std::string> root = folderOf(!suffix.empty() ? suffix
                                                     : type.empty()  ? "output"
                                                                     : type);
    const std::string subfolder = request.parameter("subfolder");
    if (!root || name.starts_with('/') || name.find("..") != name.npos) {
        return emptyResponse(400);
    }
    const std::optional<std::string> path =
        pathBelow(*root, subfolder.empty() ? name : subfolder + "/" + name);
    if (!path) {
        return emptyResponse(403);
    }
    if (!isFile(*path)) {
        return emptyResponse(404);
    }
    const std::string channel = request.parameter("channel");
    const std::string preview = request.parameter("preview");
    const bool isConverted =
        image::hasImageName(*path) && (!preview.empty() || channel == "rgb" || channel == "a");
    Response response = isConverted ? convertedImage(*path, channel, preview)
                                    : fileResponse(*path, request.header("range"));
    std::string shown = files::lastPart(name);
    std::ranges::replace_if(
        shown, [](char letter) { return letter == '"' || letter < 0x20; }, '_');
    response.headers.emplace_back("Content-Disposition", "filename=\"" + shown + "\"");
    return response;
}

Response ComfyFiles::uploaded(const Request& request, bool isMask) {
    const auto form = readForm(request.header("content-type"), request.body);
    const auto field = [&](const char* name) {
        const auto found = form->find(name);
        return found == form->end() ? std::string() : found->second.value;
    };
    if (!form || !form->contains("image") || form->at("image").fileName.empty()) {
        return emptyResponse(400);
    }
    const std::string type = field("type").empty() ? "input" : field("type");
    const std::string subfolder = field("subfolder");
    const std::optional<std::string> root = folderOf(type);
    const std::string name = files::lastPart(form->at("image").fileName);
    const std::optional<std::string> path =
        root ? pathBelow(*root, subfolder.empty() ? name : subfolder + "/" + name) : std::nullopt;
    if (!path) {
        return emptyResponse(400);
    }
    std::string bytes = form->at("image").value;
    if (isMask) {
        const Json original = parseJson(field("original_ref"), "original_ref");
        const JsonReader reader(original, "original_ref");
        const auto [file, suffix] = withoutSuffix(reader.text("filename").value_or(""));
        const std::string folder = reader.text("subfolder").value_or("");
        const std::optional<std::string> from =
            folderOf(suffix.empty() ? reader.text("type").value_or("input") : suffix);
        const std::optional<std::string> source =
            from ? pathBelow(*from, folder.empty() ? file : folder + "/" + file) : std::nullopt;
        if (!source || !isFile(*source)) {
            return emptyResponse(400);
        }
        bytes = maskedImage(bytesOf(*source), bytes);
    }
    const std::lock_guard lock(mutex_);
    files::makeFolders(files::folderOf(*path));
    const std::string chosen = isTrue(field("overwrite")) ? *path : freeName(*path, bytes);
    files::writeFileAtomically(chosen, bytes);
    return jsonResponse(
        {{"name", files::lastPart(chosen)}, {"subfolder", subfolder}, {"type", type}});
}

void ComfyFiles::addUserData(Router& router) {
    router.add("GET", "/userdata", [this](const Request& request, const PathValues&) {
        return listed(request);
    });
    router.add("GET", "/userdata/{}", [this](const Request&, const PathValues& values) {
        const std::optional<std::string> path = pathBelow(folders_.user, values[0]);
        const std::lock_guard lock(mutex_);
        return !path           ? emptyResponse(403)
               : isFile(*path) ? Response{.type = contentTypeOf(*path), .body = bytesOf(*path)}
                               : emptyResponse(404);
    });
    router.add("POST", "/userdata/{}", [this](const Request& request, const PathValues& values) {
        return written(request, values[0]);
    });
    router.add("DELETE", "/userdata/{}", [this](const Request&, const PathValues& values) {
        return removed(values[0]);
    });
    router.add(
        "POST", "/userdata/{}/move/{}", [this](const Request& request, const PathValues& values) {
            return moved(request, values[0], values[1]);
        });
    router.add("GET", "/settings", [this](const Request&, const PathValues&) {
        const std::lock_guard lock(mutex_);
        return jsonResponse(settings());
    });
    router.add("GET", "/settings/{}", [this](const Request&, const PathValues& values) {
        const std::lock_guard lock(mutex_);
        const Json all = settings();
        return jsonResponse(all.contains(values[0]) ? all.at(values[0]) : Json());
    });
    router.add("POST", "/settings", [this](const Request& request, const PathValues&) {
        keepSettings(bodyObject(request));
        return emptyResponse();
    });
    router.add("POST", "/settings/{}", [this](const Request& request, const PathValues& values) {
        keepSettings({{values[0], bodyJson(request)}});
        return emptyResponse();
    });
    router.add("GET", "/users", [](const Request&, const PathValues&) {
        return jsonResponse({{"storage", "server"}, {"migrated", true}});
    });
}

Response ComfyFiles::listed(const Request& request) const {
    const std::string name = request.parameter("dir");
    if (name.empty()) {
        return textResponse(400, "Directory not provided");
    }
    const std::string plain = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    const std::optional<std::string> folder = pathBelow(folders_.user, plain);
    std::error_code failure;
    if (!folder) {
        return textResponse(403, "Invalid directory");
    }
    if (!std::filesystem::is_directory(*folder, failure)) {
        return textResponse(404, "Requested directory not found");
    }
    const bool isDeep = isTrue(request.parameter("recurse"));
    const std::lock_guard lock(mutex_);
    std::set<std::string> paths;
    for (std::filesystem::recursive_directory_iterator entry(*folder, failure), end;
         !failure && entry != end;
         entry.increment(failure)) {
        if (entry->is_directory() && !isDeep) {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file() && isValidUtf8(entry->path().string())) {
            paths.insert(entry->path().lexically_relative(*folder).generic_string());
        }
    }
    Json list = Json::array();
    for (const std::string& path : paths) {
        if (isTrue(request.parameter("full_info"))) {
            list.push_back(fileFacts(*folder + "/" + path, path));
        } else if (isTrue(request.parameter("split"))) {
            std::vector<std::string> parts = split(path, '/');
            parts.insert(parts.begin(), path);
            list.push_back(parts);
        } else {
            list.push_back(path);
        }
    }
    return jsonResponse(list);
}

Response ComfyFiles::written(const Request& request, const std::string& name) {
    const std::optional<std::string> path = pathBelow(folders_.user, name);
    if (!path) {
        return emptyResponse(403);
    }
    const std::lock_guard lock(mutex_);
    if (request.parameter("overwrite") == "false" && isFile(*path)) {
        return textResponse(409, "File already exists");
    }
    files::makeFolders(files::folderOf(*path));
    files::writeFileAtomically(*path, request.body);
    return jsonResponse(isTrue(request.parameter("full_info")) ? fileFacts(*path, name)
                                                               : Json(name));
}

Response ComfyFiles::moved(const Request& request, const std::string& from, const std::string& to) {
    const std::optional<std::string> source = pathBelow(folders_.user, from);
    const std::optional<std::string> target = pathBelow(folders_.user, to);
    if (!source || !target) {
        return emptyResponse(403);
    }
    const std::lock_guard lock(mutex_);
    if (!isFile(*source)) {
        return emptyResponse(404);
    }
    if (request.parameter("overwrite") == "false" && isFile(*target)) {
        return textResponse(409, "File already exists");
    }
    files::makeFolders(files::folderOf(*target));
    std::filesystem::rename(*source, *target);
    return jsonResponse(isTrue(request.parameter("full_info")) ? fileFacts(*target, to) : Json(to));
}

Response ComfyFiles::removed(const std::string& name) {
    const std::optional<std::string> path = pathBelow(folders_.user, name);
    if (!path) {
        return emptyResponse(403);
    }
    const std::lock_guard lock(mutex_);
    if (!isFile(*path)) {
        return emptyResponse(404);
    }
    std::filesystem::remove(*path);
    return emptyResponse(204);
}

Json ComfyFiles::settings() const {
    const Json kept = Json::parse(bytesOf(folders_.user + "/" + kSettingsFile), nullptr, false);
    return kept.is_object() ? kept : Json::object();
}

void ComfyFiles::keepSettings(const Json& more) {
    const std::lock_guard lock(mutex_);
    Json all = settings();
    all.update(more);
    const std::string text = all.dump(2);
    if (text.size() > kMostUserBytes) {
        throw Error(ErrorKind::InvalidInput, message("the settings have {} bytes", text.size()));
    }
    files::writeFileAtomically(folders_.user + "/" + kSettingsFile, text + "\n");
}

void ComfyFiles::addModels(Router& router) {
    router.add("GET", "/models", [this](const Request&, const PathValues&) {
        Json names = Json::array();
        for (const auto& [name, files] : modelNames(folders_)) {
            names.push_back(name);
        }
        return jsonResponse(names);
    });
    router.add("GET", "/models/{}", [this](const Request&, const PathValues& values) {
        const auto names = modelNames(folders_);
        const auto found = names.find(values[0]);
        return found == names.end() ? emptyResponse(404) : jsonResponse(found->second);
    });
    router.add("GET", "/embeddings", [this](const Request&, const PathValues&) {
        Json names = Json::array();
        const auto models = modelNames(folders_);
        for (const std::string& file : models.at("embeddings")) {
            names.push_back(std::filesystem::path(file).replace_extension().string());
        }
        return jsonResponse(names);
    });
}

}  // namespace lowtide::service
