#include "cli/printed_text.hpp"

#include "plugin/base/units.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace lowtide::cli {

namespace {

/// Characters of UTF-8.
size_t widthOf(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    }));
}

}  // namespace

std::string aligned(const std::vector<Cells>& rows, size_t firstNumber) {
    std::vector<size_t> widths;
    for (const Cells& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], widthOf(row[i]));
        }
    }
    std::string text;
    for (const Cells& row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - widthOf(row[i]), ' ');
            line += i < firstNumber ? row[i] + space : space + row[i];
            line += "  ";
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string formatted(const char* form, ...) {
    std::array<char, 256> text{};
    std::va_list values;
    va_start(values, form);
    static_cast<void>(std::vsnprintf(text.data(), text.size(), form, values));
    va_end(values);
    return text.data();
}

std::string memberText(const Json& json, const char* key) {
    return json.at(key).get<std::string>();
}

std::string memberBytes(const Json& json, const char* key) {
    return formatBytes(json.at(key).get<Bytes>());
}

void printJson(const Json& json) {
    std::printf("%s\n", json.dump(2).c_str());
}

}  // namespace lowtide::cli
