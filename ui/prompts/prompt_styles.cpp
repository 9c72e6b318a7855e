#include "ui/prompts/prompt_styles.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr std::string_view kPlaceholder = "{prompt}";
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

using Fields = std::vector<std::string>;

void putStyle(std::vector<PromptStyle>& styles, PromptStyle style) {
    if (style.name.empty()) {
        return;
    }
    const auto known = std::find_if(styles.begin(), styles.end(), [&](const PromptStyle& each) {
        return each.name == style.name;
    });
    if (known != styles.end()) {
        *known = std::move(style);
    } else {
        styles.push_back(std::move(style));
    }
}

/// Fields of one record after the other.
class CsvReader {
public:
    CsvReader(std::string_view text, std::string_view what) : text_(text), what_(what) {}

    [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }

    Fields next() {
        Fields fields;
        do {
            fields.push_back(field());
        } while (take(','));
        take('\r');
        take('\n');
        return fields;
    }

private:
    bool take(char c) {
        const bool isThere = at_ < text_.size() && text_[at_] == c;
        at_ += isThere ? 1 : 0;
        line_ += isThere && c == '\n' ? 1 : 0;
        return isThere;
    }

    std::string field() {
        if (take('"')) {
            return quoted();
        }
        const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        std::string plain(text_.substr(at_, end - at_));
        at_ = end;
        return plain;
    }

    std::string quoted() {
        const size_t begun = line_;
        std::string text;
        while (!atEnd()) {
            if (take('"')) {
                if (!take('"')) {
                    return text;
                }
                text += '"';
                continue;
            }
            line_ += text_[at_] == '\n' ? 1 : 0;
            text += text_[at_++];
        }
        throw Error(ErrorKind::Corrupt,
                    message("{}: the quote that begins in line {} never ends", what_, begun),
                    message("close it with \"; a quote inside a text is written twice"));
    }

    std::string_view text_;
    std::string_view what_;
    size_t at_ = 0;
    size_t line_ = 1;
};

}  // namespace

std::string styledText(const std::string& style, const std::string& text) {
    if (style.empty()) {
        return text;
    }
    if (style.find(kPlaceholder) == style.npos) {
        const std::string before = trim(text);
        return before.empty() ? style : before + ", " + style;
    }
    std::string styled;
    size_t from = 0;
    for (size_t at = style.find(kPlaceholder); at != style.npos;
         at = style.find(kPlaceholder, from)) {
        styled += style.substr(from, at - from) + text;
        from = at + kPlaceholder.size();
    }
    return styled + style.substr(from);
}

std::vector<PromptStyle> stylesFromJson(std::string_view text, std::string_view what) {
    const Json list = parseJson(text, what);
    if (!list.is_array()) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is no list of styles", what),
                    message("a list looks like [{{\"name\": \"ink\", \"prompt\": \"{{prompt}}, "
                            "ink\", \"negative_prompt\": \"\"}}]"));
    }
    std::vector<PromptStyle> styles;
    const auto textOf = [](const Json& entry, const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>()
                                                          : std::string();
    };
    for (const Json& entry : list) {
        if (entry.is_object()) {
            putStyle(styles,
                     {.name = trim(textOf(entry, "name")),
                      .prompt = textOf(entry, "prompt"),
                      .negative = textOf(entry, "negative_prompt")});
        }
    }
    return styles;
}

std::string stylesText(const std::vector<PromptStyle>& styles) {
    Json list = Json::array();
    for (const PromptStyle& style : styles) {
        list.push_back(
            {{"name", style.name}, {"prompt", style.prompt}, {"negative_prompt", style.negative}});
    }
    return list.dump(2) + "\n";
}

std::vector<PromptStyle> stylesFromCsv(std::string_view text, std::string_view what) {
    if (text.starts_with(kUtf8Mark)) {
        text.remove_prefix(kUtf8Mark.size());
    }
    if (!isValidUtf8(text)) {
        throw Error(
            ErrorKind::Corrupt, message("{} is not UTF-8", what), message("save it as UTF-8"));
    }
    CsvReader reader(text, what);
    const Fields columns = reader.next();
    const auto column = [&](std::string_view name) {
        for (size_t i = 0; i < columns.size(); ++i) {
            if (toLower(trim(columns[i])) == name) {
                return i;
            }
        }
        return columns.size();
    };
    const size_t name = column("name");
    const size_t prompt = std::min(column("prompt"), column("text"));
    const size_t negative = column("negative_prompt");
    if (name == columns.size()) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: its first line names no column \"name\"", what),
                    message("it should begin with: name,prompt,negative_prompt"));
    }
    std::vector<PromptStyle> styles;
    while (!reader.atEnd()) {
        const Fields fields = reader.next();
        const auto at = [&](size_t i) { return i < fields.size() ? fields[i] : std::string(); };
        putStyle(styles, {.name = trim(at(name)), .prompt = at(prompt), .negative = at(negative)});
    }
    return styles;
}

}  // namespace lowtide::ui
