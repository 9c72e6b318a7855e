#include "service/http.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace lowtide::service {

namespace {

constexpr uint64_t kMostOfRange = 16u << 20;
constexpr size_t kMostJsonBytes = 32u << 20;

int hexDigit(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
}

/// What a file is sent as; names that are not here are bytes.
constexpr std::pair<std::string_view, std::string_view> kContentTypes[] = {
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".webp", "image/webp"},
    {".gif", "image/gif"},
    {".mp4", "video/mp4"},
    {".webm", "video/webm"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".safetensors", "application/octet-stream"}};

/// First and last byte of "bytes=0-99"; nothing: it is no range of so many bytes.
std::optional<std::pair<uint64_t, uint64_t>> rangeOf(std::string_view text, uint64_t bytes) {
    constexpr std::string_view kUnit = "bytes=";
    const size_t dash = text.find('-');
    if (!text.starts_with(kUnit) || dash == text.npos || bytes == 0) {
        return std::nullopt;
    }
    const auto first = countIn(text.substr(kUnit.size(), dash - kUnit.size()));
    const auto last = countIn(text.substr(dash + 1));
    if (first) {
        const uint64_t end = std::min(last.value_or(bytes - 1), bytes - 1);
        return *first <= end ? std::optional(std::pair(*first, end)) : std::nullopt;
    }
    return last && *last > 0 ? std::optional(std::pair(bytes - std::min(*last, bytes), bytes - 1))
                             : std::nullopt;
}

}  // namespace

std::string Request::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

std::string Request::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
}

std::string Request::pathText() const {
    return "/" + join(path, "/");
}

std::optional<std::string> percentDecoded(std::string_view text, bool plusIsSpace) {
    std::string decoded;
    for (size_t i = 0; i < text.size(); ++i) {
        char letter = text[i];
        if (letter == '%') {
            const int high = i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hexDigit(text[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return std::nullopt;
            }
            letter = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (letter == '+' && plusIsSpace) {
            letter = ' ';
        }
        if (letter == '\0') {
            return std::nullopt;
        }
        decoded += letter;
    }
    return isValidUtf8(decoded) ? std::optional(decoded) : std::nullopt;
}

bool readTarget(std::string_view target, Request& request) {
    const size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    if (!path.starts_with('/')) {
        return false;
    }
    if (path.size() > 1) {
        for (const std::string& part : split(path.substr(1), '/')) {
            std::optional<std::string> decoded = percentDecoded(part, false);
            if (!decoded) {
                return false;
            }
            request.path.push_back(std::move(*decoded));
        }
    }
    if (mark == target.npos || mark + 1 == target.size()) {
        return true;
    }
    for (const std::string& pair : split(target.substr(mark + 1), '&')) {
        const size_t equals = pair.find('=');
        const std::optional<std::string> name = percentDecoded(pair.substr(0, equals), true);
        const std::optional<std::string> value =
            equals == pair.npos ? std::string() : percentDecoded(pair.substr(equals + 1), true);
        if (!name || !value) {
            return false;
        }
        request.query.insert_or_assign(*name, *value);
    }
    return true;
}

std::optional<uint64_t> countIn(std::string_view text) {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber = failure == std::errc() && end == text.data() + text.size();
    return isNumber ? std::optional(value) : std::nullopt;
}

std::string toText(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response emptyResponse(int status) {
    return {.status = status};
}

Response textResponse(int status, std::string text) {
    return {.status = status, .type = "text/plain; charset=utf-8", .body = std::move(text)};
}

Response jsonResponse(const Json& json, int status) {
    return {.status = status, .type = "application/json; charset=utf-8", .body = toText(json)};
}

Response refusal(int status, const std::string& code, const Message& problem, const Message& hint) {
    return jsonResponse(
        {{"issues",
          Json::array({graph::toJson(Issue{.code = code, .message = problem, .hint = hint})})}},
        status);
}

Response answerResponse(Status status, const Json& result) {
    const Json issues = result.value("issues", Json::array());
    const bool isBusy = std::ranges::any_of(
        issues, [](const Json& issue) { return issue.value("code", std::string()) == "busy"; });
    return jsonResponse(result,
                        status == Status::Ok                    ? 200
                        : status == Status::Invalid             ? 400
                        : status == Status::Cancelled || isBusy ? 409
                                                                : 500);
}

std::string contentTypeOf(std::string_view name) {
    const std::string lower = toLower(name);
    const auto found = std::ranges::find_if(
        kContentTypes, [&](const auto& type) { return lower.ends_with(type.first); });
    return found == std::end(kContentTypes) ? "application/octet-stream"
                                            : std::string(found->second);
}

Response fileResponse(const std::string& path, const std::string& range) {
    std::error_code failure;
    const uint64_t bytes = std::filesystem::file_size(path, failure);
    if (failure) {
        return emptyResponse(404);
    }
    const auto part = rangeOf(range, bytes);
    if (!part) {
        return {.type = contentTypeOf(path), .file = path, .headers = {{"Accept-Ranges", "bytes"}}};
    }
    const uint64_t count = std::min(part->second - part->first + 1, kMostOfRange);
    std::string piece(count, '\0');
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(part->first));
    if (!file.read(piece.data(), static_cast<std::streamsize>(count))) {
        return emptyResponse(404);
    }
    return {
        .status = 206,
        .type = contentTypeOf(path),
        .body = std::move(piece),
        .headers = {{"Accept-Ranges", "bytes"},
                    {"Content-Range",
                     "bytes " + std::to_string(part->first) + "-" +
                         std::to_string(part->first + count - 1) + "/" + std::to_string(bytes)}}};
}

Json bodyJson(const Request& request) {
    return parseJson(request.body, "request", {.maxBytes = kMostJsonBytes});
}

Json bodyObject(const Request& request) {
    Json body = request.body.empty() ? Json::object() : bodyJson(request);
    static_cast<void>(JsonReader(body, "request"));  // refuses what is no object
    return body;
}

std::optional<PathValues> matched(const std::vector<std::string>& pattern,
                                  const std::vector<std::string>& path) {
    if (pattern.size() != path.size()) {
        return std::nullopt;
    }
    PathValues values;
    for (size_t i = 0; i < path.size(); ++i) {
        if (pattern[i] == "{}") {
            values.push_back(path[i]);
        } else if (pattern[i] != path[i]) {
            return std::nullopt;
        }
    }
    return values;
}

void Router::add(std::string method, std::string_view pattern, RouteHandler handler) {
    routes_.push_back({std::move(method), split(pattern.substr(1), '/'), std::move(handler)});
}

std::optional<Response> Router::answer(const Request& request) const {
    bool isKnown = false;
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    for (const Route& route : routes_) {
        if (const auto values = matched(route.pattern, request.path)) {
            if (route.method == method) {
                return route.handler(request, *values);
            }
            isKnown = true;
        }
    }
    if (!isKnown) {
        return std::nullopt;
    }
    return method == "OPTIONS"
               ? emptyResponse(200)
               : refusal(405,
                         "method_not_allowed",
                         message("{} does not take {}",
                                 quotedName(request.pathText()),
                                 quotedName(request.method)),
                         message("docs/serve.md lists the routes with their methods"));
}

}  // namespace lowtide::service
