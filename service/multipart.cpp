#include "service/multipart.hpp"

#include "plugin/base/text.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::service {

namespace {

constexpr size_t kMostParts = 64;
constexpr size_t kMostPartHeader = 4096;

/// The value of `name` in "form-data; name=\"image\"; filename=\"a.png\""; nothing: there is none.
std::optional<std::string> attributeOf(std::string_view header, std::string_view name) {
    for (size_t at = header.find(';'); at != header.npos; at = header.find(';', at)) {
        const size_t begin = header.find_first_not_of(" \t", at + 1);
        const size_t equals = begin == header.npos ? header.npos : header.find('=', begin);
        if (equals == header.npos) {
            return std::nullopt;
        }
        const bool isWanted = toLower(trim(header.substr(begin, equals - begin))) == name;
        std::string value;
        size_t end = equals + 1;
        if (end < header.size() && header[end] == '"') {
            for (++end; end < header.size() && header[end] != '"'; ++end) {
                end += header[end] == '\\' && end + 1 < header.size() ? 1 : 0;
                value += header[end];
            }
        } else {
            const size_t stop = header.find(';', end);
            value = trim(header.substr(end, stop == header.npos ? stop : stop - end));
            end = stop;
        }
        if (isWanted) {
            return value;
        }
        at = std::min(end, header.size());
    }
    return std::nullopt;
}

/// Of the lines before the blank one; nothing: no name is there.
std::optional<std::pair<std::string, std::string>> namesIn(std::string_view lines) {
    for (const std::string& line : split(lines, '\n')) {
        const size_t colon = line.find(':');
        if (colon != line.npos && toLower(trim(line.substr(0, colon))) == "content-disposition") {
            const std::string_view header = std::string_view(line).substr(colon + 1);
            if (auto name = attributeOf(header, "name")) {
                return std::pair(*name, trim(attributeOf(header, "filename").value_or("")));
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::map<std::string, FormField>> readForm(std::string_view contentType,
                                                         std::string_view body) {
    const std::string kind = toLower(trim(contentType.substr(0, contentType.find(';'))));
    const std::optional<std::string> boundary = attributeOf(contentType, "boundary");
    if (kind != "multipart/form-data" || !boundary || boundary->empty() || boundary->size() > 200) {
        return std::nullopt;
    }
    const std::string mark = "--" + *boundary;
    const std::string next = "\r\n" + mark;
    std::map<std::string, FormField> fields;
    size_t at = body.find(mark);
    for (size_t count = 0; at != body.npos && count <= kMostParts; ++count) {
        at += mark.size();
        if (body.substr(at, 2) == "--") {
            return fields;
        }
        const size_t blank = body.find("\r\n\r\n", at);
        if (blank == body.npos || blank - at > kMostPartHeader) {
            return std::nullopt;
        }
        const auto names = namesIn(body.substr(at, blank - at));
        const size_t end = body.find(next, blank + 2);
        if (!names || end == body.npos) {
            return std::nullopt;
        }
        const size_t begin = std::min(blank + 4, end);
        fields.try_emplace(names->first,
                           FormField{.fileName = names->second,
                                     .value = std::string(body.substr(begin, end - begin))});
        at = end + 2;
    }
    return std::nullopt;
}

}  // namespace lowtide::service
