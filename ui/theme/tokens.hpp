#pragma once

#include "plugin/base/json.hpp"

#include <QByteArray>
#include <QColor>
#include <QFont>

#include <map>
#include <string>

namespace lowtide::ui {

/// The token file of the program, resources/themes/tokens.json.
/// With the values under "high_contrast" in place of the usual tokens where that is wanted.
[[nodiscard]] Json themeTokens(bool isHighContrast = false);
/// A file of this library's resources: "tokens.json", "fonts/Inter-Regular.otf".
[[nodiscard]] QByteArray themeResource(const char* name);

/// Values of one scheme in a token file. Errors: Error{Corrupt} names the token that is missing or
/// has another shape.
class TokenReader {
public:
    /// `scheme` is 0 for light and 1 for dark. `tokens` must outlive the reader.
    TokenReader(const Json& tokens, size_t scheme) : tokens_(tokens), scheme_(scheme) {}

    [[nodiscard]] std::map<std::string, QColor> colours() const;
    [[nodiscard]] std::map<std::string, int> sizes() const;
    [[nodiscard]] std::map<std::string, QFont> fonts() const;
    /// A pair [light, dark] of "#RRGGBB"; `what` names it in messages.
    [[nodiscard]] QColor colourOf(const Json& pair, const std::string& what) const;
    [[nodiscard]] const Json& section(const char* name) const;

private:
    const Json& tokens_;
    size_t scheme_;
};

/// Makes the bundled fonts known to the program, once. Error{Corrupt} names a font that could not
/// be read.
void loadBundledFonts();

}  // namespace lowtide::ui
