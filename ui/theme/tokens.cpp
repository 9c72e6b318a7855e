#include "ui/theme/tokens.hpp"

#include "plugin/base/error.hpp"

#include <QFile>
#include <QFontDatabase>

#include <array>

// Outside every namespace, as the macro wants it: the resources lie in a static library.
static void initThemeResources() {
    Q_INIT_RESOURCE(theme);
}

namespace lowtide::ui {

namespace {

[[noreturn]] void refuse(const std::string& token, const Message& why) {
    throw Error(ErrorKind::Corrupt,
                message("theme token \"{}\" {}", token, why),
                message("fix resources/themes/tokens.json and build again"));
}

int integerAt(const Json& object, const char* key, const std::string& what) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) {
        refuse(what, message("has no number \"{}\"", key));
    }
    return found->get<int>();
}

constexpr std::array kFontFiles = {"fonts/Inter-Regular.otf",
                                   "fonts/Inter-Medium.otf",
                                   "fonts/Inter-SemiBold.otf",
                                   "fonts/JetBrainsMono-Regular.ttf"};

bool loadAll() {
    for (const char* file : kFontFiles) {
        if (QFontDatabase::addApplicationFontFromData(themeResource(file)) < 0) {
            throw Error(ErrorKind::Corrupt,
                        message("the bundled font {} cannot be read", file),
                        message("restore resources/fonts and build again"));
        }
    }
    return true;
}

}  // namespace

QByteArray themeResource(const char* name) {
    initThemeResources();
    QFile file(QStringLiteral(":/lowtide/") + QLatin1String(name));
    if (!file.open(QIODevice::ReadOnly)) {
        refuse(name, message("is not among the program's resources"));
    }
    return file.readAll();
}

Json themeTokens(bool isHighContrast) {
    const QByteArray text = themeResource("tokens.json");
    Json tokens = parseJson({text.constData(), static_cast<size_t>(text.size())}, "theme tokens");
    if (isHighContrast) {
        const Json others = tokens.value("high_contrast", Json::object());
        tokens.merge_patch(others);
    }
    return tokens;
}

const Json& TokenReader::section(const char* name) const {
    const auto found = tokens_.find(name);
    if (found == tokens_.end() || !found->is_structured() || found->empty()) {
        refuse(name, message("is missing"));
    }
    return *found;
}

QColor TokenReader::colourOf(const Json& pair, const std::string& what) const {
    if (!pair.is_array() || pair.size() != 2 || !pair[scheme_].is_string()) {
        refuse(what, message("is no pair of colours [light, dark]"));
    }
    const QColor colour(QString::fromStdString(pair[scheme_].get<std::string>()));
    if (!colour.isValid()) {
        refuse(what, message("is no colour: {}", pair[scheme_].get<std::string>()));
    }
    return colour;
}

std::map<std::string, QColor> TokenReader::colours() const {
    std::map<std::string, QColor> colours;
    for (const auto& [name, pair] : section("colours").items()) {
        colours[name] = colourOf(pair, name);
    }
    return colours;
}

std::map<std::string, int> TokenReader::sizes() const {
    const Json& section = this->section("sizes");
    std::map<std::string, int> sizes;
    for (const auto& [name, value] : section.items()) {
        sizes[name] = integerAt(section, name.c_str(), "sizes");
    }
    return sizes;
}

std::map<std::string, QFont> TokenReader::fonts() const {
    std::map<std::string, QFont> fonts;
    for (const auto& [name, value] : section("fonts").items()) {
        const auto family = value.find("family");
        if (family == value.end() || !family->is_string()) {
            refuse(name, message("has no font family"));
        }
        QFont font(QString::fromStdString(family->get<std::string>()));
        font.setPixelSize(integerAt(value, "pixels", name));
        font.setWeight(static_cast<QFont::Weight>(integerAt(value, "weight", name)));
        font.setHintingPreference(QFont::PreferVerticalHinting);
        font.setStyleStrategy(QFont::PreferAntialias);
        fonts[name] = font;
    }
    return fonts;
}

void loadBundledFonts() {
    // Qt keeps fonts for the whole program, so this is no cache of ours. A failure is tried again.
    [[maybe_unused]] static const bool kLoaded = loadAll();
}

}  // namespace lowtide::ui
